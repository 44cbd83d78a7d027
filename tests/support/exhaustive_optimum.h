// The least total latency of any valid schedule of a tiny problem, by trying everything: all
// subgraphs, granularities and named traversals, recomputation, stored interiors, retention.
// Shares no code with the bounds that it is held against.
#pragma once

#include "tilebeam/problem.h"

namespace tilebeam::test {

// Meant for up to five ops and tensors of a few elements. Infinite if nothing is valid. Explicit
// traversal orders are tried on grids of up to `explicitTiles` tiles.
double exhaustiveOptimum(const Problem& problem, DepthReading depth, std::size_t explicitTiles = 0);

}  // namespace tilebeam::test
