// What single iterations of a step demand, with real rectangles in place of symbols. Private to the
// simulator.
#pragma once

#include <cstdint>
#include <vector>

#include "places.h"
#include "step_geometry.h"
#include "step_profile.h"

namespace tilebeam {

struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  std::int64_t length() const { return end - begin; }
  friend bool operator==(const Range&, const Range&) = default;
};

struct Rectangle {
  std::int32_t tensor = 0;
  DemandKind kind = DemandKind::kSlice;
  Range rows;
  Range columns;
  bool whole = false;

  std::int64_t area() const { return rows.length() * columns.length(); }
  friend bool operator==(const Rectangle&, const Rectangle&) = default;
};

// By its place in the grid.
struct Tile {
  std::int64_t row = 0;
  std::int64_t column = 0;
};

class IterationDemands {
 public:
  // `rows` and `columns` are the tiles' axes.
  IterationDemands(const StepProfile& profile, const Granularity& g, const GridAxis& rows,
                   const GridAxis& columns)
      : profile_(profile),
        depth_(g.depth),
        kSteps_(profile.kSteps(g.depth)),
        rows_(rows),
        columns_(columns) {}

  std::int64_t kSteps() const { return kSteps_; }

  // Fills `set` with the input slices of an iteration, sorted by tensor; returns its compute.
  double find(const Tile& tile, std::int64_t j, std::vector<Rectangle>& set);

  // Whether `d` is made in k-step j.
  bool active(const Demand& d, std::int64_t j) const {
    return d.lastStepOnly ? j == kSteps_ - 1 : j * depth_ < d.reduction;
  }

  Rectangle place(const Demand& d, const Tile& tile, std::int64_t j) const;

  // K-steps at which something ends.
  Places endingSteps() const;

 private:
  Range range(Extent extent, const GridAxis& axis, std::int64_t i, std::int64_t length,
              std::int64_t j) const;

  const StepProfile& profile_;
  std::int64_t depth_;
  std::int64_t kSteps_;
  GridAxis rows_;
  GridAxis columns_;
  std::vector<Rectangle> strips_;
};

}  // namespace tilebeam
