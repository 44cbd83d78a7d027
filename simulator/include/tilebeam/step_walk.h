// A step iteration by iteration (docs/cost-model.md, sections 4, 5 and 7), for those who want to
// know what its sums are made of.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tilebeam/step_simulator.h"

namespace tilebeam {

// A rectangle of an external tensor, in an iteration's load set.
struct SliceUse {
  TensorId tensor;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  bool held = false;  // free, since the iteration before had it, or all of its tensor

  std::int64_t area() const { return rows * columns; }
};

// A rectangle of a produced tensor that is made for this iteration and dropped with it.
struct StripUse {
  TensorId tensor;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  bool left = false;  // made for a left side of a MatMul, else for a right side
};

// One execution of an op.
struct OpRun {
  OpId op;
  double cost = 0;
};

struct Iteration {
  std::int64_t tile = 0;
  std::int64_t kStep = 0;
  std::vector<SliceUse> slices;
  std::vector<StripUse> strips;
  std::vector<OpRun> runs;
  double compute = 0;     // sum of the runs' costs
  double memoryTime = 0;  // (loads + stores) / bandwidth
  std::int64_t workingSet = 0;
  std::int64_t retainedArea = 0;  // of it: tiles of retained tensors that are finished
  std::int64_t outputArea = 0;    // of it: the tile being made, or its accumulators
};

// The same account as simulateLiteral, with the same preconditions; `observe` sees every iteration.
StepAccount walkLiteral(const Subgraph& subgraph, const Granularity& granularity,
                        const Traversal& traversal, const StepContext& context, DepthReading depth,
                        const std::function<void(const Iteration&)>& observe);

}  // namespace tilebeam
