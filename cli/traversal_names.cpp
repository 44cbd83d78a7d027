#include "cli/traversal_names.h"

#include "simulator/ceil_div.h"

namespace tilebeam::cli {

const char* traversalName(TraversalKind kind) {
  switch (kind) {
    case TraversalKind::kRaster:
      return "raster";
    case TraversalKind::kRowSnake:
      return "row snake";
    case TraversalKind::kColumnSnake:
      return "column snake";
    case TraversalKind::kColumnRaster:
      return "column raster";
    case TraversalKind::kExplicit:
      break;
  }
  return "listed";
}

TraversalKind traversalOf(const Subgraph& subgraph, const Step& step) {
  if (step.traversal.kind != TraversalKind::kExplicit) return step.traversal.kind;
  return recogniseTraversal(step.traversal.order,
                            ceilDiv(subgraph.gridWidth(), step.granularity.width),
                            ceilDiv(subgraph.gridHeight(), step.granularity.height));
}

}  // namespace tilebeam::cli
