#include "engine/plan.h"

#include <utility>

#include "simulator/ceil_div.h"

namespace tilebeam {

PlannedStep plannedStep(const Problem& problem, std::vector<OpId> ops,
                        std::vector<TensorId> retained, const BestStep& best) {
  PlannedStep step{std::move(ops), std::move(retained), best, {}};
  if (!best.start.isFirstTile()) {
    const Subgraph subgraph(problem, step.ops);
    step.order = tileOrderFrom(best.start, best.traversal,
                               ceilDiv(subgraph.gridWidth(), best.granularity.width),
                               ceilDiv(subgraph.gridHeight(), best.granularity.height));
  }
  return step;
}

double latencyOf(std::span<const PlannedStep> steps) {
  double sum = 0;
  for (const PlannedStep& step : steps) sum += step.best.latency;
  return sum;
}

std::size_t opsRun(const Plan& plan) {
  std::size_t count = 0;
  for (const PlannedStep& step : plan.steps) count += step.ops.size();
  return count;
}

std::vector<double> stepLatencies(const Evaluation& evaluation) {
  std::vector<double> latencies;
  latencies.reserve(evaluation.steps.size());
  for (const StepReport& report : evaluation.steps) {
    latencies.push_back(report.account.cost.latency);
  }
  return latencies;
}

Step stepOf(const PlannedStep& planned) {
  Step step;
  step.ops = planned.ops;
  step.granularity = planned.best.granularity;
  step.retained = planned.retained;
  step.traversal = {planned.order.empty() ? planned.best.traversal : TraversalKind::kExplicit,
                    planned.order};
  return step;
}

Schedule scheduleOf(const Plan& plan) {
  Schedule schedule;
  schedule.steps.reserve(plan.steps.size());
  for (const PlannedStep& planned : plan.steps) schedule.steps.push_back(stepOf(planned));
  return schedule;
}

Plan planOf(const Schedule& schedule, const std::vector<double>& latencies) {
  Plan plan;
  plan.steps.reserve(schedule.steps.size());
  for (std::size_t i = 0; i < schedule.steps.size(); ++i) {
    const Step& step = schedule.steps[i];
    plan.steps.push_back({step.ops,
                          step.retained,
                          {latencies[i], step.granularity, step.traversal.kind, {}},
                          step.traversal.order});
    plan.latency += latencies[i];
  }
  return plan;
}

}  // namespace tilebeam
