// Places boxes in layers: each below all that lead to it.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace tilebeam::cli {

struct LayoutSize {
  double width = 0;
  double height = 0;
};

struct LayoutPoint {
  double x = 0;
  double y = 0;
};

struct LayoutSpacing {
  double across = 0;  // between neighbours of a layer
  double down = 0;    // between layers
  double aspect = 0;  // width : height to come near to by breaking long layers, and the stack of
                      // layers into columns; 0: as it comes
};

struct Layout {
  std::vector<LayoutPoint> corners;  // top left, one per box; no two boxes overlap
  LayoutSize size;
};

// Edges lead from lower to higher indices. Near-linear in their number.
Layout layeredLayout(const std::vector<LayoutSize>& boxes,
                     const std::vector<std::pair<std::size_t, std::size_t>>& edges,
                     const LayoutSpacing& spacing);

}  // namespace tilebeam::cli
