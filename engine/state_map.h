// States by their hashes, for one thread at a time. They lie side by side, so that walking them is
// cheap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/search_state.h"

namespace tilebeam {

class StateMap {
 public:
  // Keeps the better of `state` and its equal. Returns whether an equal one was there.
  bool offer(const SearchState& state);

  // They stay where they are until the next offer.
  std::span<const SearchState> states() const { return states_; }
  std::size_t size() const { return states_.size(); }

  void clear();
  void dropWorseThan(const SearchState& worst);

 private:
  // Half of a hash, so that most questions end here.
  struct Slot {
    std::uint32_t tag = 0;
    std::uint32_t place = 0;  // in `states_`, counted from 1; 0: none
  };

  Slot& slotOf(std::uint64_t hash);
  void index(std::size_t slots);

  std::vector<SearchState> states_;
  std::vector<Slot> slots_;  // a power of two, at least twice as many as states; or none
};

}  // namespace tilebeam
