// A schedule: an ordered list of steps (docs/cost-model.md, section 2). Plain data; whether it is
// valid and what it costs is the evaluator's business.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tilebeam/id.h"

namespace tilebeam {

struct Granularity {
  std::int64_t width = 0;   // w, columns of a tile
  std::int64_t height = 0;  // h, rows of a tile
  std::int64_t depth = 0;   // k, reduction length of a k-step

  friend bool operator==(const Granularity&, const Granularity&) = default;
};

// The sequence in which a step visits its tiles. Tiles are numbered row by row.
enum class TraversalKind : std::uint8_t {
  kRaster,       // row by row, each from left to right
  kRowSnake,     // row by row, every second row from right to left
  kColumnSnake,  // column by column, every second column from bottom to top
  kExplicit      // as listed
};

struct Traversal {
  TraversalKind kind = TraversalKind::kRaster;
  std::vector<std::int64_t> order;  // tile numbers; used by kExplicit alone

  friend bool operator==(const Traversal&, const Traversal&) = default;
};

// The tile numbers of `kind` on a grid of `columns` by `rows` tiles. kind is not kExplicit.
std::vector<std::int64_t> tileOrder(TraversalKind kind, std::int64_t columns, std::int64_t rows);

// The named kind whose order `order` is on that grid, or kExplicit. Raster is preferred where kinds
// coincide.
TraversalKind recogniseTraversal(const std::vector<std::int64_t>& order, std::int64_t columns,
                                 std::int64_t rows);

struct Step {
  std::vector<OpId> ops;  // producers before consumers
  Granularity granularity;
  std::vector<TensorId> retained;  // stay in fast memory into the next step
  Traversal traversal;
  std::optional<double> reportedLatency;  // what the author claims
};

struct Schedule {
  std::vector<Step> steps;
};

}  // namespace tilebeam
