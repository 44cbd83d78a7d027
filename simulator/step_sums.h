// The sums that the step bound rests on: slice areas by tile size, and which demands of a step
// count for certain. Private to the simulator.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "step_profile.h"
#include "tilebeam/step_simulator.h"

namespace tilebeam {

// Tiles of one size: full or clipped along each axis.
struct TileSize {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  double count = 0;
};

// The area of a set of slices as a function of the tile's size.
struct SliceArea {
  std::int64_t fixed = 0;
  std::int64_t perRow = 0;
  std::int64_t perColumn = 0;

  void add(std::int64_t f, std::int64_t r, std::int64_t c) {
    fixed += f;
    perRow += r;
    perColumn += c;
  }
  std::int64_t at(const TileSize& t) const {
    return fixed + perRow * t.rows + perColumn * t.columns;
  }
};

// What one tile takes, by what has changed since the tile before.
struct TileTime {
  double newRow = 0;      // only its rows: slices along its columns may be there still
  double newColumn = 0;   // only its columns
  double first = 0;       // nothing is there
  std::int64_t peak = 0;  // of fast memory, beside what other tiles have left
};

// Sums over the k-steps of a tile, where they divide the reduction.
struct SplitTotals {
  SliceArea full;           // slices that k does not divide
  SliceArea perStep;        // the others, per element of the k-step
  SliceArea split;          // and over all k-steps
  SliceArea lastIteration;  // all that is there in the last one, for one element of the k-step
  std::array<std::int64_t, 2> perhapsHeld{};

  void add(const ReductionGroup& g, bool untilLast) {
    full.add(g.fullArea, g.full[kRows], g.full[kColumns]);
    perStep.add(g.stepLength, g.step[kRows], g.step[kColumns]);
    split.add(g.stepLength * g.reduction, g.step[kRows] * g.reduction,
              g.step[kColumns] * g.reduction);
    if (!untilLast) return;
    lastIteration.add(g.fullArea + g.stepLength, g.full[kRows] + g.step[kRows],
                      g.full[kColumns] + g.step[kColumns]);
  }
};

// A tensor that is demanded over rectangles of two kinds, which may coincide, counts in part.
struct StepSums {
  explicit StepSums(const StepProfile& profile);

  std::vector<ReductionGroup> certain;  // of tensors demanded once only
  std::vector<ReductionGroup> groups;   // and of some others
  std::int64_t tileSlices = 0;
  // Strips over tile and k-step, along rows and columns, that may be there when a tile begins.
  std::array<std::int64_t, 2> perhapsHeld{};
  double mixedArea = 0;  // of the other tensors' slices, one area over the whole step remains

  SplitTotals anyTiles;      // of `groups`
  SplitTotals severalTiles;  // and more, where there are several tiles along both axes

 private:
  void addDemands(const StepProfile& profile);
  void addMixedStrips(const StepProfile& profile);
  void addStripPairs(const StepProfile& profile);
  ReductionGroup& group(std::int64_t reduction);
};

// No k above `deepest`.
TileFloors floorsOf(const StepProfile& profile, const StepSums& sums, std::int64_t deepest);

}  // namespace tilebeam
