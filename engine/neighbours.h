// The ops next to each op: those that a set which holds it may grow by.
#pragma once

#include <span>
#include <vector>

#include "engine/search_scope.h"
#include "tilebeam/problem.h"

namespace tilebeam {

// Producers, consumers and fellow consumers of an input within a scope; of a tensor with more than
// `siblings` consumers those that stand closest.
class Neighbours {
 public:
  Neighbours(const Problem& problem, const SearchScope& scope, std::size_t siblings);

  // Of the op at a position of the scope: positions, each once.
  std::span<const Position> of(Position p) const {
    const auto i = static_cast<std::size_t>(p - begin_);
    return {positions_.data() + ends_[i], ends_[i + 1] - ends_[i]};
  }

 private:
  Position begin_;
  std::vector<std::size_t> ends_;
  std::vector<Position> positions_;
};

}  // namespace tilebeam
