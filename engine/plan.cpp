#include "engine/plan.h"

namespace tilebeam {

Schedule scheduleOf(const Plan& plan) {
  Schedule schedule;
  schedule.steps.reserve(plan.steps.size());
  for (const PlannedStep& planned : plan.steps) {
    Step step;
    step.ops = planned.ops;
    step.granularity = planned.best.granularity;
    step.retained = planned.retained;
    step.traversal = {planned.best.traversal, planned.order};
    schedule.steps.push_back(std::move(step));
  }
  return schedule;
}

Plan planOf(const Schedule& schedule, const std::vector<double>& latencies) {
  Plan plan;
  plan.steps.reserve(schedule.steps.size());
  for (std::size_t i = 0; i < schedule.steps.size(); ++i) {
    const Step& step = schedule.steps[i];
    plan.steps.push_back({step.ops,
                          step.retained,
                          {latencies[i], step.granularity, step.traversal.kind},
                          step.traversal.order});
    plan.latency += latencies[i];
  }
  return plan;
}

}  // namespace tilebeam
