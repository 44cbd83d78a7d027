// A schedule as the search builds it: steps with their best forms.
#pragma once

#include <span>
#include <vector>

#include "engine/step_optimiser.h"
#include "tilebeam/id.h"
#include "tilebeam/schedule.h"
#include "tilebeam/schedule_evaluator.h"

namespace tilebeam {

struct PlannedStep {
  std::vector<OpId> ops;
  std::vector<TensorId> retained;
  BestStep best;
  std::vector<std::int64_t> order;  // tiles, if they are to be listed
};

// With its tiles listed, if best.start asks for it.
PlannedStep plannedStep(const Problem& problem, std::vector<OpId> ops,
                        std::vector<TensorId> retained, const BestStep& best);

double latencyOf(std::span<const PlannedStep> steps);

struct Plan {
  double latency = 0;
  std::vector<PlannedStep> steps;
};

// Two totals that differ by no larger share are the same: sums of many numbers in different order.
inline constexpr double kRounding = 1e-9;

std::vector<double> stepLatencies(const Evaluation& evaluation);

// Counting an op once for each step that runs it.
std::size_t opsRun(const Plan& plan);

Step stepOf(const PlannedStep& planned);
Schedule scheduleOf(const Plan& plan);

// The plan that a schedule amounts to, given its steps' latencies.
Plan planOf(const Schedule& schedule, const std::vector<double>& latencies);

}  // namespace tilebeam
