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
    step.traversal.kind = planned.best.traversal;
    schedule.steps.push_back(std::move(step));
  }
  return schedule;
}

}  // namespace tilebeam
