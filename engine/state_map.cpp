#include "engine/state_map.h"

#include <algorithm>

namespace tilebeam {
namespace {

constexpr std::size_t kFewestSlots = 32;

std::uint32_t tagOf(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }

}  // namespace

bool StateMap::offer(const SearchState& state) {
  if (2 * states_.size() >= slots_.size()) index(std::max(kFewestSlots, 2 * slots_.size()));
  Slot& slot = slotOf(state.hash);
  if (slot.place == 0) {
    states_.push_back(state);
    slot = {tagOf(state.hash), static_cast<std::uint32_t>(states_.size())};
    return false;
  }
  SearchState& known = states_[slot.place - 1];
  if (state.betterThan(known)) known = state;
  return true;
}

void StateMap::clear() {
  const bool few = 16 * states_.size() < slots_.size();
  states_.clear();
  if (few) slots_.resize(std::max(kFewestSlots, slots_.size() / 4));
  std::fill(slots_.begin(), slots_.end(), Slot{});
}

void StateMap::dropWorseThan(const SearchState& worst) {
  std::erase_if(states_, [&](const SearchState& state) { return worst.betterThan(state); });
  index(slots_.size());
}

// The slot of the state with this hash, or the empty one where it belongs.
StateMap::Slot& StateMap::slotOf(std::uint64_t hash) {
  const std::uint32_t tag = tagOf(hash);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = hash & mask;; i = (i + 1) & mask) {
    Slot& slot = slots_[i];
    if (slot.place == 0 || (slot.tag == tag && states_[slot.place - 1].hash == hash)) return slot;
  }
}

void StateMap::index(std::size_t slots) {
  slots_.assign(slots, Slot{});
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const std::uint64_t hash = states_[i].hash;
    slotOf(hash) = {tagOf(hash), static_cast<std::uint32_t>(i + 1)};
  }
}

}  // namespace tilebeam
