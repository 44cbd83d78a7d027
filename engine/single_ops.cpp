#include "engine/plan.h"
#include "engine/step_scorer.h"
#include "tilebeam/schedule_evaluator.h"
#include "tilebeam/solver.h"

namespace tilebeam {

std::optional<PricedSchedule> singleOpSchedule(const Problem& problem,
                                               const SolverOptions& options) {
  StepScorer scorer(problem, options.depth, options.without);
  Plan plan;
  for (const OpId o : problem.graph().topologicalOrder()) {
    const std::vector<OpId> single{o};
    const BestStep& best = scorer.score(single, scorer.keyOf(single));
    if (!best.feasible()) return std::nullopt;
    plan.steps.push_back(plannedStep(problem, single, {}, best));
  }
  PricedSchedule result{scheduleOf(plan), {}};
  const Evaluation evaluation =
      ScheduleEvaluator(problem, {options.depth, SimulatorChoice::kFastest})
          .evaluate(result.schedule);
  if (!evaluation.valid()) return std::nullopt;
  result.stepLatencies = stepLatencies(evaluation);
  return result;
}

}  // namespace tilebeam
