// The indices of an axis, tiles or k-steps, in runs that cost the same. Private to the simulator.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tilebeam {

// An index of an axis, and how many indices cost the same.
struct Place {
  std::int64_t index = 0;
  std::int64_t count = 1;
};

// Indices 0 .. count-1 of an axis: the special ones stand for themselves, each run between two of
// them for its members.
class Places {
 public:
  explicit Places(std::int64_t count) : count_(count) {
    add(0);
    add(count - 1);
  }

  void add(std::int64_t i, std::int64_t radius = 0) {
    for (std::int64_t at = std::max<std::int64_t>(0, i - radius);
         at <= std::min(count_ - 1, i + radius); ++at) {
      const auto place = std::lower_bound(special_.begin(), special_.end(), at);
      if (place == special_.end() || *place != at) special_.insert(place, at);
    }
  }

  const std::vector<std::int64_t>& special() const { return special_; }

  // Of the indices `begin`, `begin + stride`, ...: the special ones, and for each run between them
  // its last member, in the direction of travel.
  void list(std::int64_t begin, std::int64_t stride, bool forward,
            std::vector<Place>& places) const {
    places.clear();
    std::int64_t next = begin;
    for (const std::int64_t i : special_) {
      if (i > next) {
        const std::int64_t members = (i - 1 - next) / stride + 1;
        places.push_back({forward ? next + (members - 1) * stride : next, members});
        next += members * stride;
      }
      if (i != next) continue;
      places.push_back({i, 1});
      next += stride;
    }
  }

 private:
  std::int64_t count_;
  std::vector<std::int64_t> special_;  // sorted
};

}  // namespace tilebeam
