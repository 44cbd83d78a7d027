#include "engine/suggestions.h"

#include <algorithm>

namespace tilebeam {

std::vector<std::vector<OpId>> Suggestions::take() {
  // Which worker met a set hangs on timing; that it was met does not.
  std::vector<std::vector<OpId>> all;
  for (Sets& sets : sets_) {
    for (auto& [hash, ops] : sets) all.push_back(std::move(ops));
    sets.clear();
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace tilebeam
