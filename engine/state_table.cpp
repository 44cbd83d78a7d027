#include "engine/state_table.h"

#include <oneapi/tbb/parallel_sort.h>

#include <algorithm>

namespace tilebeam {

std::vector<SearchState> StateTable::takeBest(std::size_t width) {
  // The map's order hangs on timing; betterThan() is a total order on content, so what is selected
  // and how it is sorted does not.
  std::vector<const SearchState*> order;
  order.reserve(states_.size());
  for (const auto& [hash, state] : states_) order.push_back(&state);
  const auto better = [](const SearchState* a, const SearchState* b) { return a->betterThan(*b); };
  if (order.size() > width) {
    std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(width), order.end(),
                     better);
    order.resize(width);
  }
  oneapi::tbb::parallel_sort(order.begin(), order.end(), better);
  std::vector<SearchState> best;
  best.reserve(order.size());
  for (const SearchState* state : order) best.push_back(*state);
  states_.clear();
  return best;
}

void StateTable::prune(std::size_t width) {
  const std::vector<SearchState> best = takeBest(width);
  for (const SearchState& state : best) states_.insert({state.hash, state});
  if (best.size() == width) threshold_ = best.back().score;
}

}  // namespace tilebeam
