#include "engine/state_map.h"

#include <algorithm>

namespace tilebeam {
namespace {

constexpr std::size_t kFewestSlots = 32;

}  // namespace

bool StateMap::offer(const SearchState& state) {
  if (2 * states_.size() >= slots_.size()) index(std::max(kFewestSlots, 2 * slots_.size()));
  Slot& slot = slotOf(state.hash);
  if (slot.place == 0) {
    states_.push_back(state);
    slot = {state.hash, states_.size()};
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
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = hash & mask;
  while (slots_[i].place != 0 && slots_[i].hash != hash) i = (i + 1) & mask;
  return slots_[i];
}

void StateMap::index(std::size_t slots) {
  slots_.assign(slots, Slot{});
  for (std::size_t i = 0; i < states_.size(); ++i)
    slotOf(states_[i].hash) = {states_[i].hash, i + 1};
}

}  // namespace tilebeam
