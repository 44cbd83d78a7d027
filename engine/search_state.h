// A partial schedule, reduced to what its continuations depend on: which ops are covered and what
// is resident. The steps that led here hang on a chain of parent nodes.
//
// Everything before the watermark is covered; only a window of ops beyond it is open. So a state
// has one size whatever the graph's.
#pragma once

#include <oneapi/tbb/concurrent_vector.h>

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <cstdint>
#include <limits>

#include "engine/candidate_pool.h"
#include "engine/limits.h"
#include "engine/step_shape.h"

namespace tilebeam {

// Covered ops at positions watermark + i, as bits. Bit 0 is never set: the watermark moves on
// first.
class CoveredWindow {
 public:
  bool test(Position offset) const {
    return (words_[static_cast<std::size_t>(offset) / 64] >> (offset % 64) & 1U) != 0;
  }
  void set(Position offset) {
    words_[static_cast<std::size_t>(offset) / 64] |= std::uint64_t{1} << (offset % 64);
  }
  // Drops the leading run of covered ops; returns its length.
  Position advance() {
    Position total = 0;
    while ((words_[0] & 1U) != 0) {
      const int run = std::countr_one(words_[0]);
      shift(run);
      total += run;
    }
    return total;
  }

 private:
  static constexpr std::size_t kWords = kMaxWindow / 64;

  void shift(int by) {
    if (by == 64) {
      for (std::size_t i = 0; i + 1 < kWords; ++i) words_[i] = words_[i + 1];
      words_[kWords - 1] = 0;
      return;
    }
    for (std::size_t i = 0; i < kWords; ++i) {
      words_[i] >>= by;
      if (i + 1 < kWords) words_[i] |= words_[i + 1] << (64 - by);
    }
  }

  std::array<std::uint64_t, kWords> words_{};
};

// A few tensors.
template <std::size_t kMost>
class TensorList {
 public:
  bool add(TensorId t) {
    if (count_ == kMost) return false;
    tensors_[count_++] = t;
    return true;
  }
  bool remove(TensorId t) {
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (tensors_[i] != t) continue;
      tensors_[i] = tensors_[--count_];
      return true;
    }
    return false;
  }
  bool contains(TensorId t) const { return std::find(begin(), end(), t) != end(); }
  void clear() { count_ = 0; }
  bool empty() const { return count_ == 0; }
  std::uint32_t size() const { return count_; }
  const TensorId* begin() const { return tensors_.data(); }
  const TensorId* end() const { return tensors_.data() + count_; }

 private:
  std::array<TensorId, kMost> tensors_;
  std::uint32_t count_ = 0;
};

using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = std::numeric_limits<NodeId>::max();

// The step that leads to a state, and the state it leads from.
struct SearchNode {
  NodeId parent = kNoNode;
  CandidateId candidate = 0;
  // Bits over the candidate's ops: outputs that are retained, that are left to be made again where
  // they are needed, and that were so left before and are stored now.
  OpBits retained = 0;
  OpBits dropped = 0;
  OpBits restored = 0;

  // A total order on content, given that of the parents: ties never hang on arrival.
  friend auto operator<=>(const SearchNode&, const SearchNode&) = default;
};

// Of all states expanded, by NodeId; never moved.
using SearchNodes = oneapi::tbb::concurrent_vector<SearchNode>;
inline constexpr NodeId kRootNode = 0;  // the first state expanded; no step leads to it

struct SearchState {
  double cost = 0;         // latency of the steps so far
  double score = 0;        // cost in excess of the covered ops' prices
  double floor = 0;        // compute bounds of the ops not covered yet
  Position watermark = 0;  // the first op that is not covered
  std::int32_t covered = 0;
  std::uint64_t hash = 0;  // Zobrist hash of the covered ops, the residents, the dropped tensors
  CoveredWindow window;
  TensorList<3> residents;  // retained by the last step
  std::int64_t residentArea = 0;
  TensorList<4> dropped;  // covered but not in slow memory, and some taker is not covered yet
  // Internal tensors stored by their step and not taken since. If the next step to touch one made
  // it again, the cost model would not have stored it in the first place (section 6).
  TensorList<6> untaken;
  bool untakenOverflow = false;  // there are more; nothing in slow memory is made again then
  SearchNode node;               // how it came about
  NodeId id = kNoNode;           // of `node`, once the state has survived

  bool isCovered(Position p) const {
    return p < watermark || (p - watermark < kMaxWindow && window.test(p - watermark));
  }

  // Of two ways to the same state, and in the order of a beam.
  bool betterThan(const SearchState& other) const {
    if (score != other.score) return score < other.score;
    if (watermark != other.watermark) return watermark > other.watermark;
    if (cost != other.cost) return cost < other.cost;
    return node < other.node;
  }
};

inline std::uint64_t zobristOp(Position p) { return mix(static_cast<std::uint64_t>(p)); }
inline std::uint64_t zobristResident(TensorId t) {
  return mix(std::uint64_t{0x5bd1e995} << 32 | static_cast<std::uint64_t>(t.value()));
}
inline std::uint64_t zobristDropped(TensorId t) {
  return mix(std::uint64_t{0x2c1b3c6d} << 32 | static_cast<std::uint64_t>(t.value()));
}

}  // namespace tilebeam
