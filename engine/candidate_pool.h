// The subgraphs that the beam search may use as steps. Immutable once built; flat, so that a
// million ops cost a few allocations.
//
// Ops are known here by their position in the graph's topological order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

#include "engine/limits.h"
#include "engine/step_shape.h"
#include "engine/trace_recorder.h"
#include "tilebeam/id.h"
#include "tilebeam/problem.h"

namespace tilebeam {

using Position = std::int32_t;
using CandidateId = std::uint32_t;

// An external tensor of a candidate. kGraphInput as producer: in slow memory from the start.
struct CandidateExternal {
  static constexpr Position kGraphInput = -1;
  TensorId tensor;
  Position producer = kGraphInput;
};

// A produced tensor that ops beyond the candidate take.
struct CandidateOutput {
  TensorId tensor;
  std::uint32_t opIndex = 0;    // of its producer among the candidate's ops
  bool atTilePosition = false;  // may be stored or retained
  bool internal = false;        // an op of the candidate takes it too, so it need not be stored
  bool droppable = false;       // internal, and every taker has a candidate that makes it again;
                                // false where nothing is made again

  OpBits bit() const { return opBit(opIndex); }
};

// What a candidate takes from outside and gives to it.
struct CandidateTensors {
  std::vector<CandidateExternal> externals;
  std::vector<CandidateOutput> outputs;
};
CandidateTensors tensorsOf(const Problem& problem, std::span<const OpId> ops);

struct Candidate {
  ShapeDigest shape;
  double latency = 0;  // with nothing carried in, retained, dropped by choice or made again
  double excess = 0;   // latency over the sum of its ops' prices
  OpBits dropped = 0;  // internal outputs that cannot be stored, by op
  // Ops, as bits, that other steps have to run first: a path leads from them out of the candidate
  // and back. Here they are made again.
  OpBits remade = 0;
  std::uint64_t signature = 0;  // bit p % 64 for each position p: most questions end here
  std::uint32_t opBegin = 0;
  std::uint32_t externalBegin = 0;
  std::uint32_t outputBegin = 0;
};

class CandidatePool {
 public:
  // Candidates will hold ops at positions in [begin, end) only.
  CandidatePool(const Problem& problem, Position begin, Position end)
      : problem_(&problem), begin_(begin), end_(end) {}

  Position begin() const { return begin_; }
  Position end() const { return end_; }

  // `ops` in topological order. No two candidates have the same ops. Of `candidate`, the shape, the
  // latency, and the bits `dropped` and `remade` count.
  void add(std::span<const OpId> ops, const CandidateTensors& tensors, const Candidate& candidate);

  // Call after the last add(), and again after more. `prices` by position; see OpPrices. Without
  // `recomputation`, no output is droppable and nothing can be made again.
  void finish(const std::vector<double>& prices, bool recomputation,
              TraceRecorder& recorder = TraceRecorder::none());

  // Whether some candidate that holds the op at `taker` makes `t` too.
  bool canRemake(TensorId t, Position taker) const { return remakes_.contains(useOf(t, taker)); }

  bool holds(CandidateId c, Position p) const {
    if ((candidates_[c].signature >> (p & 63) & 1U) == 0) return false;
    const auto all = positions(c);
    return std::find(all.begin(), all.end(), p) != all.end();
  }

  // Whether there is a candidate of exactly these ops; `hash` is the sum of their opSetHash().
  bool hasSet(std::uint64_t hash) const { return sets_.contains(hash); }

  std::size_t size() const { return candidates_.size(); }
  const Candidate& operator[](CandidateId c) const { return candidates_[c]; }

  std::span<const Position> positions(CandidateId c) const {
    return slice(positions_, &Candidate::opBegin, c);
  }
  std::span<const CandidateExternal> externals(CandidateId c) const {
    return slice(externals_, &Candidate::externalBegin, c);
  }
  std::span<const CandidateOutput> outputs(CandidateId c) const {
    return slice(outputs_, &Candidate::outputBegin, c);
  }

  // The candidates that hold the op at this position, least excess first.
  std::span<const CandidateId> holding(Position p) const {
    if (p < begin_ || p >= end_) return {};
    const auto i = static_cast<std::size_t>(p - begin_);
    return {holding_.data() + holdingBegin_[i], holding_.data() + holdingBegin_[i + 1]};
  }

 private:
  template <class T>
  std::span<const T> slice(const std::vector<T>& all, std::uint32_t Candidate::*begin,
                           CandidateId c) const {
    const std::size_t end = c + 1 < candidates_.size() ? candidates_[c + 1].*begin : all.size();
    return {all.data() + candidates_[c].*begin, all.data() + end};
  }

  static std::uint64_t useOf(TensorId t, Position taker) {
    return static_cast<std::uint64_t>(t.value()) << 32 ^ static_cast<std::uint64_t>(taker);
  }

  void indexByOp(TraceRecorder& recorder);
  void findRemakes();
  void findDroppable();

  const Problem* problem_;
  Position begin_;
  Position end_;
  std::vector<Candidate> candidates_;
  std::vector<Position> positions_;
  std::vector<CandidateExternal> externals_;
  std::vector<CandidateOutput> outputs_;
  std::unordered_set<std::uint64_t> sets_;
  std::unordered_set<std::uint64_t> remakes_;  // uses of tensors that a candidate makes on the spot
  std::vector<std::uint32_t> holdingBegin_;
  std::vector<CandidateId> holding_;
};

}  // namespace tilebeam
