// The general path of the collapsed simulator: it evaluates representative iterations with actual
// rectangles, and weighs each by how many iterations cost the same. Private to the simulator.
//
// It is needed where a tensor is demanded over two kinds of rectangle (x * W + x: x as a strip and
// as a tile), which may coincide on single tiles: at places where the tile's range equals a
// k-step's. Those places, and the ends of every axis, stand for themselves; each run between them
// has one representative. Where a tensor is multiplied by itself, tile i can meet k-step i all
// along the diagonal: then the places near the diagonal are special in every line, and lines still
// form runs.
#pragma once

#include "step_profile.h"
#include "tilebeam/step_simulator.h"

namespace tilebeam {

StepAccount walkRepresentatives(const StepProfile& profile, const Granularity& granularity,
                                TraversalKind kind);

// An explicit order, tile by tile; k-steps that cost the same are still evaluated once.
StepAccount walkOrder(const StepProfile& profile, const Granularity& granularity,
                      const std::vector<std::int64_t>& order);

}  // namespace tilebeam
