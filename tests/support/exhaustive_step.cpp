#include "support/exhaustive_step.h"

#include <algorithm>

#include "engine/step_optimiser.h"
#include "tilebeam/schedule_evaluator.h"

namespace tilebeam::test {

namespace {

void addForms(const Subgraph& subgraph, const CollapsedSimulator& simulator, const Granularity& g,
              std::vector<StepForm>& forms) {
  const std::int64_t columns = (subgraph.gridWidth() - 1) / g.width + 1;
  const std::int64_t rows = (subgraph.gridHeight() - 1) / g.height + 1;
  // Without clipped tiles all corners are alike.
  const bool clipped = subgraph.gridWidth() % g.width != 0 || subgraph.gridHeight() % g.height != 0;
  for (const TraversalKind kind : kNamedTraversals) {
    forms.push_back({g, kind, {}, simulator.cost(g, kind)});
    if (!clipped || columns * rows > kMostTilesForCorners) continue;
    for (const StartCorner start : {StartCorner{true, false}, {false, true}, {true, true}}) {
      const Traversal order{TraversalKind::kExplicit, tileOrderFrom(start, kind, columns, rows)};
      forms.push_back({g, kind, start, simulator.account(g, order).cost});
    }
  }
}

}  // namespace

std::vector<StepForm> allForms(const Subgraph& subgraph, const StepContext& context,
                               DepthReading depth) {
  const CollapsedSimulator simulator(subgraph, context, depth);
  const Hardware& hardware = subgraph.problem().hardware();
  const std::int64_t deepest =
      subgraph.hasMatMul() ? std::min(hardware.nativeDepth(), subgraph.minReduction()) : 1;
  std::vector<StepForm> forms;
  for (std::int64_t w = 1; w <= hardware.nativeWidth; ++w) {
    for (std::int64_t h = 1; h <= hardware.nativeHeight; ++h) {
      for (std::int64_t k = 1; k <= deepest; ++k) {
        if (!checkGranularity(subgraph, {w, h, k})) addForms(subgraph, simulator, {w, h, k}, forms);
      }
    }
  }
  return forms;
}

double leastLatency(const std::vector<StepForm>& forms, std::int64_t capacity) {
  double least = std::numeric_limits<double>::infinity();
  for (const StepForm& form : forms) {
    if (form.cost.peakFastMemory <= capacity) least = std::min(least, form.cost.latency);
  }
  return least;
}

}  // namespace tilebeam::test
