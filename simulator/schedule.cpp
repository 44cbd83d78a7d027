#include "tilebeam/schedule.h"

#include "tile_order.h"

namespace tilebeam {

std::int64_t tileAt(TraversalKind kind, std::int64_t i, std::int64_t columns, std::int64_t rows) {
  if (kind == TraversalKind::kColumnSnake || kind == TraversalKind::kColumnRaster) {
    const std::int64_t column = i / rows;
    const bool back = kind == TraversalKind::kColumnSnake && column % 2 == 1;
    return (back ? rows - 1 - i % rows : i % rows) * columns + column;
  }
  const std::int64_t row = i / columns;
  const bool back = kind == TraversalKind::kRowSnake && row % 2 == 1;
  return row * columns + (back ? columns - 1 - i % columns : i % columns);
}

std::vector<std::int64_t> tileOrder(TraversalKind kind, std::int64_t columns, std::int64_t rows) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(columns * rows));
  for (std::int64_t i = 0; i < columns * rows; ++i) {
    order[static_cast<std::size_t>(i)] = tileAt(kind, i, columns, rows);
  }
  return order;
}

TraversalKind recogniseTraversal(const std::vector<std::int64_t>& order, std::int64_t columns,
                                 std::int64_t rows) {
  const auto count = static_cast<std::int64_t>(order.size());
  if (count / columns != rows || count % columns != 0) return TraversalKind::kExplicit;
  for (const TraversalKind kind : kNamedTraversals) {
    std::int64_t i = 0;
    while (i < count && order[static_cast<std::size_t>(i)] == tileAt(kind, i, columns, rows)) ++i;
    if (i == count) return kind;
  }
  return TraversalKind::kExplicit;
}

}  // namespace tilebeam
