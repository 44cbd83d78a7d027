// The states of equal progress: as many covered ops. Equal states are recombined as they come in,
// from any number of workers; the best of them form the beam.
#pragma once

#include <oneapi/tbb/concurrent_hash_map.h>

#include <array>
#include <limits>
#include <numeric>
#include <vector>

#include "engine/search_state.h"
#include "engine/trace_recorder.h"

namespace tilebeam {

class StateTable {
 public:
  // Keeps the better of `state` and its equal. Returns whether an equal one was there. States are
  // told apart by their 64-bit Zobrist hashes: a collision would lose a state, never a schedule's
  // validity, and is not to be expected below 2^30 states.
  bool offer(const SearchState& state) {
    Map::accessor place;
    if (shardOf(state).insert(place, {state.hash, state})) return false;
    if (state.betterThan(place->second)) place->second = state;
    return true;
  }

  // No state with a greater score can be among the best `width` any more. Constant while states are
  // offered.
  double threshold() const { return threshold_; }

  std::size_t size() const {
    return std::accumulate(shards_.begin(), shards_.end(), std::size_t{0},
                           [](std::size_t sum, const Map& shard) { return sum + shard.size(); });
  }

  // The best `width` states, best first; the table is empty then. Not while states are offered.
  std::vector<SearchState> takeBest(std::size_t width,
                                    TraceRecorder& recorder = TraceRecorder::none());

  // Forgets all but the best `width` states. Not while states are offered.
  void prune(std::size_t width);

 private:
  using Map = oneapi::tbb::concurrent_hash_map<std::uint64_t, SearchState>;

  struct Ranked;
  std::vector<Ranked> rank(TraceRecorder& recorder) const;
  void clear(TraceRecorder& recorder);
  Map& shardOf(const SearchState& state) { return shards_[state.hash >> (64 - kShardBits)]; }

  // The states by the first bits of their hashes: a map can only be walked and emptied by one
  // thread, and its count of entries is shared by all that insert.
  static constexpr int kShardBits = 4;
  std::array<Map, std::size_t{1} << kShardBits> shards_;
  double threshold_ = std::numeric_limits<double>::infinity();
};

}  // namespace tilebeam
