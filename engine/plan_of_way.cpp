#include "engine/plan_of_way.h"

#include <utility>

#include "engine/plan_tuner.h"
#include "tilebeam/step_bound.h"

namespace tilebeam {

std::optional<Plan> planOfWay(const Problem& problem, DepthReading depth,
                              const std::vector<ExactStep>& way,
                              const std::function<bool()>& stop) {
  std::vector<Subgraph> subgraphs;
  std::vector<std::vector<TensorId>> retained;
  for (const ExactStep& step : way) {
    subgraphs.emplace_back(problem, step.ops);
    retained.push_back(step.retained);
  }
  const auto stored = storedTensors(problem, subgraphs, retained);
  StepOptimiser optimiser;
  Plan plan;
  StepContext context;
  for (std::size_t i = 0; i < way.size(); ++i) {
    if (stop()) return std::nullopt;
    context.stored = stored[i];
    context.retained = retained[i];
    const BestStep best = optimiser.optimise(subgraphs[i], context, depth);
    OrderSearch orders(subgraphs[i], context, depth, {best, {}});
    const LeastStep least = leastStep(subgraphs[i], context, depth, 0, stop);
    if (least.granularity.width > 0) orders.tryAt(least.granularity, least.order);
    PlannedStep step = plannedStep(problem, way[i].ops, retained[i],
                                   tuned(subgraphs[i], context, depth, orders.best(), stop));
    if (!step.best.feasible()) return std::nullopt;
    plan.steps.push_back(std::move(step));
    context.resident = retained[i];
  }
  const Schedule schedule = scheduleOf(plan);
  const Evaluation evaluation =
      ScheduleEvaluator(problem, {depth, SimulatorChoice::kFastest}).evaluate(schedule);
  if (!evaluation.valid()) return std::nullopt;
  return planOf(schedule, stepLatencies(evaluation));
}

}  // namespace tilebeam
