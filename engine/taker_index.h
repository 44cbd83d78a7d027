// Which candidates tell whether some step can take given tensors at once. Of all that take them
// these are a few: where a set of ops waits for no more, reaches no further and has the same takers
// as a larger one, it can come next wherever the larger one can.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/candidate_pool.h"
#include "engine/trace_recorder.h"

namespace tilebeam {

class TakerIndex {
 public:
  // Of a finished pool. Tensors are known by the positions of their producers. Once `stop` says
  // true, lists stay incomplete.
  TakerIndex(
      const Problem& problem, const CandidatePool& pool,
      const std::function<bool()>& stop = [] { return false; },
      TraceRecorder& recorder = TraceRecorder::none());

  // Candidates that take the outputs of one or two ops and do not make them.
  std::span<const CandidateId> of(std::span<const Position> producers) const {
    if (producers.size() == 1) return candidates(slot(producers[0]));
    const auto it = pairs_.find(pairKey(producers[0], producers[1]));
    if (it == pairs_.end()) return {};
    return candidates(it->second);
  }

 private:
  static std::uint64_t pairKey(Position a, Position b) {
    const auto [low, high] = std::minmax(a, b);
    return static_cast<std::uint64_t>(low) << 32 | static_cast<std::uint64_t>(high);
  }
  std::size_t slot(Position p) const { return static_cast<std::size_t>(p - begin_); }
  std::span<const CandidateId> candidates(std::size_t list) const {
    return {flat_.data() + begins_[list], flat_.data() + begins_[list + 1]};
  }

  Position begin_;
  std::unordered_map<std::uint64_t, std::uint32_t> pairs_;  // to their lists
  // First a list for each position, then one for each pair.
  std::vector<std::uint32_t> begins_;
  std::vector<CandidateId> flat_;
};

}  // namespace tilebeam
