#include "support/exhaustive_step.h"

#include <algorithm>

#include "tilebeam/schedule_evaluator.h"

namespace tilebeam::test {

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
        const Granularity g{w, h, k};
        if (checkGranularity(subgraph, g)) continue;
        for (const TraversalKind kind :
             {TraversalKind::kRaster, TraversalKind::kRowSnake, TraversalKind::kColumnSnake}) {
          forms.push_back({g, kind, simulator.cost(g, kind)});
        }
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
