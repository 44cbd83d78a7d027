#include "engine/suggestions.h"

#include <utility>

namespace tilebeam {

std::vector<std::vector<OpId>> Suggestions::take() {
  std::vector<std::vector<OpId>> all;
  for (Sets& sets : sets_) {
    for (auto& [hash, ops] : sets) all.push_back(std::move(ops));
    sets.clear();
  }
  return all;
}

}  // namespace tilebeam
