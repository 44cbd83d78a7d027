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
  std::vector<std::int64_t> order;  // tiles, if best.traversal is kExplicit
};

struct Plan {
  double latency = 0;
  std::vector<PlannedStep> steps;
};

// Of a latency: what is not below this share of it is no better. Sums of the same numbers in
// different order differ by less.
inline constexpr double kWorthwhile = 1 - 1e-12;

Schedule scheduleOf(const Plan& plan);

// The plan that a schedule amounts to, given its steps' latencies.
Plan planOf(const Schedule& schedule, const std::vector<double>& latencies);

}  // namespace tilebeam
