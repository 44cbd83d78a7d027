// The best schedule of a tiny problem by trying all: every partition of the ops into ordered steps,
// every granularity and named traversal, every set of retained tensors. Ops that run twice are left
// out, so a search that knows them may be better still.
#pragma once

#include "tilebeam/problem.h"

namespace tilebeam::test {

// The least total latency, or infinity. At most 6 ops.
double leastTotalLatency(const Problem& problem, DepthReading depth = DepthReading::kNative);

}  // namespace tilebeam::test
