#include <algorithm>
#include <cassert>
#include <cmath>

#include "engine/plan.h"
#include "engine/step_scorer.h"
#include "tilebeam/schedule_evaluator.h"
#include "tilebeam/solver.h"

namespace tilebeam {
namespace {

// Ops in topological order, each of which fits and stores its output, break no rule, and the
// scorer's latencies are the simulator's. So the evaluator need not be asked, which would take as
// long as all the rest; solve() asks it before the same plan becomes its incumbent.
[[maybe_unused]] bool isConfirmed(const Problem& problem, const SolverOptions& options,
                                  const PricedSchedule& priced) {
  const Evaluation evaluation =
      ScheduleEvaluator(problem, {options.depth, SimulatorChoice::kFastest})
          .evaluate(priced.schedule);
  const std::vector<double> judged = stepLatencies(evaluation);
  return evaluation.valid() &&
         std::equal(judged.begin(), judged.end(), priced.stepLatencies.begin(),
                    priced.stepLatencies.end(), [](double a, double b) {
                      return std::abs(a - b) <= 1e-9 * std::max(1.0, std::abs(a));
                    });
}

}  // namespace

std::optional<PricedSchedule> singleOpSchedule(const Problem& problem,
                                               const SolverOptions& options) {
  StepScorer scorer(problem, options.depth, options.without);
  PricedSchedule result;
  result.schedule.steps.reserve(problem.opCount());
  result.stepLatencies.reserve(problem.opCount());
  std::vector<OpId> single(1);
  for (const OpId o : problem.graph().topologicalOrder()) {
    single.front() = o;
    const BestStep& best = scorer.score(single, scorer.keyOf(single));
    if (!best.feasible()) return std::nullopt;
    result.schedule.steps.push_back(stepOf(plannedStep(problem, single, {}, best)));
    result.stepLatencies.push_back(best.latency);
  }
  assert(isConfirmed(problem, options, result));
  return result;
}

}  // namespace tilebeam
