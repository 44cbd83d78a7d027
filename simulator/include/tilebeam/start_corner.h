// From which corner of the grid a traversal starts. Where clipped tiles stand last, it makes a
// difference: the first tile loads all its slices, whatever its size.
#pragma once

#include <cstdint>
#include <vector>

#include "tilebeam/schedule.h"

namespace tilebeam {

struct StartCorner {
  bool lastRow = false;
  bool lastColumn = false;

  bool isFirstTile() const { return !lastRow && !lastColumn; }
};

// The tile numbers of the named traversal `kind`, mirrored so as to start from that corner.
inline std::vector<std::int64_t> tileOrderFrom(StartCorner start, TraversalKind kind,
                                               std::int64_t columns, std::int64_t rows) {
  std::vector<std::int64_t> order = tileOrder(kind, columns, rows);
  for (std::int64_t& tile : order) {
    const std::int64_t row = tile / columns;
    const std::int64_t column = tile % columns;
    tile = (start.lastRow ? rows - 1 - row : row) * columns +
           (start.lastColumn ? columns - 1 - column : column);
  }
  return order;
}

}  // namespace tilebeam
