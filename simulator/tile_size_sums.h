// What a step takes at least at one granularity: sums over its tiles by their size, full or clipped
// along each axis (docs/bounds.md, "One step"). Private to the simulator.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "step_profile.h"
#include "step_sums.h"

namespace tilebeam {

// The demands that are counted, as the class sums want them.
struct Counted {
  std::span<const ReductionGroup> groups;
  std::int64_t tileSlices = 0;
  // Strips over tile and k-step, along rows and columns, that may be there when a tile begins.
  std::array<std::int64_t, 2> perhapsHeld{};
};

class TileSizeSums {
 public:
  // No k above `deepest`; `floors` are those of any granularity.
  TileSizeSums(const StepProfile& profile, const StepSums& sums, const TileFloors& floors,
               std::int64_t deepest)
      : profile_(profile), sums_(sums), floors_(floors), deepest_(deepest) {}

  // Comes first.
  void setTiles(std::int64_t w, std::int64_t h);

  void count(const Counted& counted) { counted_ = counted; }
  // What `sums` counts for certain.
  void countSums() { counted_ = {sums_.groups, sums_.tileSlices, sums_.perhapsHeld}; }

  // Infinite if it does not fit in `capacity`; may be too low where it reaches `cutoff`.
  double latency(std::int64_t k, std::int64_t capacity, double cutoff) const;

  // Of any k short of the deepest, which splits every root's reduction: no strip that the k-steps
  // divide outlives its tile, and a tile takes at least all its compute, and all its traffic.
  double splitLatency(std::int64_t capacity, double cutoff) const;

  // No deeper k, short of the deepest, leaves room for a full tile's first iteration. All groups
  // are active there, over k elements, and every root has its accumulator.
  std::int64_t deepestFitting(std::int64_t capacity) const;

 private:
  const SplitTotals& splitTotals() const {
    return rows_ > 1 && columns_ > 1 ? sums_.severalTiles : sums_.anyTiles;
  }
  std::int64_t roots() const { return static_cast<std::int64_t>(profile_.rootReductions.size()); }
  const TileSize& largestTile() const;
  std::int64_t splitPeak(const SplitTotals& totals, const TileSize& tile) const;
  template <class TimeOf>
  double latencyOf(const TimeOf& timeOf, std::int64_t capacity, double cutoff) const;
  bool fitsInSomeOrder(const std::array<std::int64_t, 4>& peaks, std::int64_t capacity) const;

  const StepProfile& profile_;
  const StepSums& sums_;
  const TileFloors& floors_;
  std::int64_t deepest_;
  Counted counted_;
  std::int64_t columns_ = 0;
  std::int64_t rows_ = 0;
  std::array<TileSize, 4> tiles_;
};

}  // namespace tilebeam
