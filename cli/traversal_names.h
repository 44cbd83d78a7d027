#pragma once

#include "tilebeam/schedule.h"
#include "tilebeam/subgraph.h"

namespace tilebeam::cli {

// "raster", "row snake", "column snake", "column raster", "listed"
const char* traversalName(TraversalKind kind);

// Which named order the tiles of a step are in, if any; listed in that order or named so.
TraversalKind traversalOf(const Subgraph& subgraph, const Step& step);

}  // namespace tilebeam::cli
