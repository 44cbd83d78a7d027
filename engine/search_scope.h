// The ops that a search is to cover: all of them, or those of a window of an existing schedule.
#pragma once

#include <algorithm>
#include <vector>

#include "engine/candidate_pool.h"

namespace tilebeam {

class SearchScope {
 public:
  // All ops of a graph.
  explicit SearchScope(std::size_t opCount)
      : end_(static_cast<Position>(opCount)), size_(opCount) {}

  // The ops at these positions, at least one.
  explicit SearchScope(const std::vector<Position>& positions) : size_(positions.size()) {
    const auto [first, last] = std::minmax_element(positions.begin(), positions.end());
    begin_ = *first;
    end_ = *last + 1;
    members_.resize(static_cast<std::size_t>(end_ - begin_), false);
    for (const Position p : positions) members_[static_cast<std::size_t>(p - begin_)] = true;
  }

  bool contains(Position p) const {
    return p >= begin_ && p < end_ &&
           (members_.empty() || members_[static_cast<std::size_t>(p - begin_)]);
  }
  Position begin() const { return begin_; }
  Position end() const { return end_; }
  std::size_t size() const { return size_; }

 private:
  Position begin_ = 0;
  Position end_ = 0;
  std::size_t size_ = 0;
  std::vector<bool> members_;  // empty: all of [begin, end)
};

}  // namespace tilebeam
