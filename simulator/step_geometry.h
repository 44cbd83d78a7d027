// The grid of a step's tiles seen from a named traversal. Private to the simulator.
//
// A traversal moves along its minor axis and turns on its major axis: raster and row snake have
// rows as the major axis, the column raster and snake columns. Both simulator paths speak of major
// and minor alone, so one code serves all four.
#pragma once

#include <algorithm>
#include <cstdint>

#include "step_demands.h"
#include "tilebeam/schedule.h"
#include "tilebeam/start_corner.h"

namespace tilebeam {

// One axis of the grid.
struct GridAxis {
  std::int64_t extent = 0;  // elements
  std::int64_t tile = 0;    // elements of a tile that is not clipped
  std::int64_t count = 0;   // tiles
  bool clipped = false;     // one tile is shorter: the last,
  bool reversed = false;    // or the first, where the axis is walked from its other end

  GridAxis() = default;
  GridAxis(std::int64_t length, std::int64_t tileLength, bool fromLast = false)
      : extent(length),
        tile(tileLength),
        count(ceilDiv(length, tileLength)),
        clipped(length % tileLength != 0),
        reversed(fromLast) {}

  // In the direction of the walk.
  std::int64_t begin(std::int64_t i) const {
    return reversed ? std::max<std::int64_t>(0, extent - (count - i) * tile) : i * tile;
  }
  std::int64_t end(std::int64_t i) const {
    return reversed ? extent - (count - 1 - i) * tile : std::min(extent, (i + 1) * tile);
  }
  std::int64_t length(std::int64_t i) const { return end(i) - begin(i); }

  // Tiles fall in two classes: 0, of full length, and 1, the clipped one.
  std::int64_t classCount(int c) const {
    return c == 0 ? count - (clipped ? 1 : 0) : (clipped ? 1 : 0);
  }
  std::int64_t classLength(int c) const { return c == 0 ? tile : extent - (count - 1) * tile; }
  int classOf(std::int64_t i) const { return clipped && i == clippedIndex() ? 1 : 0; }
  // The first and the last index of a class, which has tiles.
  std::int64_t firstOf(int c) const {
    return c == 1 ? clippedIndex() : reversed && clipped ? 1 : 0;
  }
  std::int64_t lastOf(int c) const { return firstOf(c) + classCount(c) - 1; }

 private:
  std::int64_t clippedIndex() const { return reversed ? 0 : count - 1; }
};

struct Sweep {
  GridAxis major;
  GridAxis minor;
  bool columnsMajor = false;
  bool snake = false;

  Sweep(std::int64_t gridWidth, std::int64_t gridHeight, const Granularity& g, TraversalKind kind,
        StartCorner start = {})
      : columnsMajor(kind == TraversalKind::kColumnSnake || kind == TraversalKind::kColumnRaster),
        snake(kind == TraversalKind::kRowSnake || kind == TraversalKind::kColumnSnake) {
    const GridAxis rows(gridHeight, g.height, start.lastRow);
    const GridAxis columns(gridWidth, g.width, start.lastColumn);
    major = columnsMajor ? columns : rows;
    minor = columnsMajor ? rows : columns;
  }

  bool forward(std::int64_t majorIndex) const { return !snake || majorIndex % 2 == 0; }

  // The elements of all tiles that come before this one.
  std::int64_t finishedArea(std::int64_t majorIndex, std::int64_t minorIndex) const {
    const std::int64_t inLine =
        forward(majorIndex) ? minor.begin(minorIndex) : minor.extent - minor.end(minorIndex);
    return minor.extent * major.begin(majorIndex) + major.length(majorIndex) * inLine;
  }
};

}  // namespace tilebeam
