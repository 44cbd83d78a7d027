// Why a step's tile is not larger: the next larger one, tried by the simulator.
#pragma once

#include <vector>

#include "cli/step_explanation.h"

namespace tilebeam::cli {

// For each of w, h and (with a MatMul) k the next value that makes for fewer tiles or k-steps, the
// other two as they are, in the named traversal that suits it best.
std::vector<LargerTile> tryLargerTiles(const Subgraph& subgraph, const Granularity& granularity,
                                       const StepContext& context, DepthReading depth);

}  // namespace tilebeam::cli
