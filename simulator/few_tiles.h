// The best order of a few tiles, exactly: by dynamic programming over the sets of tiles that are
// done. Private to the simulator.
#pragma once

#include <cstdint>
#include <vector>

#include "step_profile.h"

namespace tilebeam {

inline constexpr std::int64_t kFewTiles = 12;

struct BestOrder {
  double latency = 0;               // infinite if no order fits
  std::vector<std::int64_t> order;  // that takes it
};

// `g` cuts the grid in at most kFewTiles. `capacity`: beside all that is carried in.
BestOrder bestOrderOfFewTiles(const StepProfile& profile, const Granularity& g,
                              std::int64_t capacity);

}  // namespace tilebeam
