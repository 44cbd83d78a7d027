// A schedule: an ordered list of steps (docs/cost-model.md, section 2). Plain data; whether it is
// valid and what it costs is the evaluator's business.
#pragma once

#include <array>
#include <cstddef>
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
  kRaster,        // row by row, each from left to right
  kRowSnake,      // row by row, every second row from right to left
  kColumnSnake,   // column by column, every second column from bottom to top
  kColumnRaster,  // column by column, each from top to bottom
  kExplicit       // as listed
};

// All but kExplicit. Where some coincide, the first of them is the order's name.
inline constexpr std::array<TraversalKind, 4> kNamedTraversals{
    TraversalKind::kRaster, TraversalKind::kRowSnake, TraversalKind::kColumnSnake,
    TraversalKind::kColumnRaster};

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
  // No problem has an op or a tensor of this index (json_io.h bounds the files).
  static constexpr std::int32_t kFirstFar = std::int32_t{1} << 30;

  std::vector<Step> steps;
  // What a file has for indices below 0 or from kFirstFar on, past 32 bits too, for messages: the
  // id kFirstFar + i stands for the i-th.
  std::vector<std::int64_t> farNumbers = {};

  // The number of an op or a tensor as the file has it.
  template <class AnyId>
  std::int64_t number(AnyId id) const {
    const auto far = static_cast<std::size_t>(std::int64_t{id.value()} - kFirstFar);
    return id.value() >= kFirstFar && far < farNumbers.size() ? farNumbers[far] : id.value();
  }
};

}  // namespace tilebeam
