// The named traversals, a tile at a time: a grid may have far more tiles than fit in a list.
// Private to the simulator.
#pragma once

#include <cstdint>

#include "tilebeam/schedule.h"

namespace tilebeam {

// The tile at place `i` of `kind`, which is not kExplicit, on a grid of `columns` by `rows` tiles.
std::int64_t tileAt(TraversalKind kind, std::int64_t i, std::int64_t columns, std::int64_t rows);

}  // namespace tilebeam
