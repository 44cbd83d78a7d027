// The states of equal progress: as many covered ops. Equal states are recombined as they come in,
// from any number of workers; the best of them form the beam.
#pragma once

#include <oneapi/tbb/concurrent_hash_map.h>

#include <limits>
#include <vector>

#include "engine/search_state.h"

namespace tilebeam {

class StateTable {
 public:
  // Keeps the better of `state` and its equal. Returns whether an equal one was there. States are
  // told apart by their 64-bit Zobrist hashes: a collision would lose a state, never a schedule's
  // validity, and is not to be expected below 2^30 states.
  bool offer(const SearchState& state) {
    Map::accessor place;
    if (states_.insert(place, {state.hash, state})) return false;
    if (state.betterThan(place->second)) place->second = state;
    return true;
  }

  // No state with a greater score can be among the best `width` any more. Constant while states are
  // offered.
  double threshold() const { return threshold_; }

  std::size_t size() const { return states_.size(); }

  // The best `width` states, best first; the table is empty then. Not while states are offered.
  std::vector<SearchState> takeBest(std::size_t width);

  // Forgets all but the best `width` states. Not while states are offered.
  void prune(std::size_t width);

 private:
  using Map = oneapi::tbb::concurrent_hash_map<std::uint64_t, SearchState>;
  Map states_;
  double threshold_ = std::numeric_limits<double>::infinity();
};

}  // namespace tilebeam
