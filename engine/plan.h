// A schedule as the search builds it: steps with their best forms.
#pragma once

#include <vector>

#include "engine/step_optimiser.h"
#include "tilebeam/id.h"
#include "tilebeam/schedule.h"

namespace tilebeam {

struct PlannedStep {
  std::vector<OpId> ops;
  std::vector<TensorId> retained;
  BestStep best;
};

struct Plan {
  double latency = 0;
  std::vector<PlannedStep> steps;
};

Schedule scheduleOf(const Plan& plan);

}  // namespace tilebeam
