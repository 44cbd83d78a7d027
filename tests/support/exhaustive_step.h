// The best form of one step by trying all of them. For steps of a few elements only.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "tilebeam/step_simulator.h"

namespace tilebeam::test {

// A legal way to run a step, whatever the capacity.
struct StepForm {
  Granularity granularity;
  TraversalKind traversal = TraversalKind::kRaster;
  StartCorner start;
  StepCost cost;
};

// Every legal (w, h, k), each in the three named traversals, from each corner.
std::vector<StepForm> allForms(const Subgraph& subgraph, const StepContext& context,
                               DepthReading depth = DepthReading::kNative);

// The least latency of a form whose peak is within `capacity`, or infinity.
double leastLatency(const std::vector<StepForm>& forms, std::int64_t capacity);

}  // namespace tilebeam::test
