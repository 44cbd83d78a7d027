// What there is to say about one step of a valid schedule. All numbers are the simulators'.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tilebeam/problem.h"
#include "tilebeam/schedule.h"
#include "tilebeam/schedule_evaluator.h"

namespace tilebeam::cli {

struct OpExplanation {
  OpId op;
  bool sink = false;
  bool root = false;      // a MatMul at tile position
  bool tile = false;      // a Pointwise at tile position; neither: made as strips for a MatMul
  std::int64_t runs = 0;  // over all iterations
  double compute = 0;
};

// An external tensor, or a produced one that is made as strips.
struct SliceExplanation {
  TensorId tensor;
  bool made = false;      // as strips on the spot, which take no space and no transfer
  bool resident = false;  // retained by the step before: neither loaded nor sliced
  std::string shape;      // "whole", "full rows", "full columns", "block"
  std::int64_t rows = 0;  // of its largest slice
  std::int64_t columns = 0;
  std::int64_t uses = 0;    // slices in all iterations; of them
  std::int64_t reuses = 0;  // were held from the iteration before
  double loads = 0;         // elements
  std::int64_t inPeak = 0;  // elements at the peak of the working set
};

// The step with one of w, h, k at its next larger value that makes for fewer tiles or k-steps.
struct LargerTile {
  char axis = 'w';
  std::int64_t from = 0;
  std::int64_t to = 0;                               // 0: there is no larger value
  std::optional<std::string> barred;                 // why it is not allowed, or that there is none
  TraversalKind traversal = TraversalKind::kRaster;  // the best for it
  StepCost cost;
  bool fits = false;
};

struct StepExplanation {
  std::size_t index = 0;
  StepReport report;
  std::vector<OpExplanation> ops;
  std::int64_t tileColumns = 0;
  std::int64_t tileRows = 0;
  Tensor grid;
  std::string traversal;  // see traversalName()

  // From here to `larger` there is nothing if the step has too many iterations to walk them all.
  bool walked = false;
  std::vector<SliceExplanation> slices;
  std::int64_t computeBound = 0;  // iterations that compute bounds
  std::int64_t peakTile = 0;      // where the working set is at its peak
  std::int64_t peakKStep = 0;
  std::int64_t peakRetained = 0;  // of the peak: finished tiles of retained tensors
  std::int64_t peakOutput = 0;    // of the peak: the tile being made, or its accumulators

  std::vector<LargerTile> larger;
};

// `evaluation` is that of `schedule`, which is valid.
StepExplanation explainStep(const Problem& problem, const Schedule& schedule,
                            const Evaluation& evaluation, std::size_t index, DepthReading depth);

}  // namespace tilebeam::cli
