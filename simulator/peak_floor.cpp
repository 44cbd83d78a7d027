#include "peak_floor.h"

#include <algorithm>

namespace tilebeam {
namespace {

std::int64_t leastArea(const Demand& d) {
  return (d.rows == Extent::kFull ? d.height : 1) * (d.columns == Extent::kFull ? d.width : 1);
}

}  // namespace

std::int64_t peakFloor(const StepProfile& profile) {
  std::int64_t first = 0;
  std::int64_t last = profile.storedCount;
  const auto& all = profile.demands.demands;
  for (auto d = all.begin(); d != all.end();) {
    std::int64_t inFirst = 0;
    std::int64_t inLast = 0;
    for (const std::int32_t t = d->tensor; d != all.end() && d->tensor == t; ++d) {
      if (d->kind != DemandKind::kSlice) continue;
      if (!d->lastStepOnly) inFirst = std::max(inFirst, leastArea(*d));
      const bool toTheEnd = d->lastStepOnly || d->reduction == profile.maxRootReduction;
      if (toTheEnd) inLast = std::max(inLast, leastArea(*d));
    }
    first += inFirst;
    last += inLast;
  }
  // By the end of the last tile all elements of what is retained are there; when it begins, all
  // but its own.
  const std::int64_t grid = profile.gridWidth * profile.gridHeight;
  const std::int64_t largestTile = std::min(profile.gridWidth, profile.hardware.nativeWidth) *
                                   std::min(profile.gridHeight, profile.hardware.nativeHeight);
  first += profile.retainedCount * (grid - largestTile);
  last += profile.retainedCount * grid;
  return profile.residentArea + std::max(first, last);
}

}  // namespace tilebeam
