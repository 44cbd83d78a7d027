#include <unordered_map>

#include "engine/plan.h"
#include "engine/step_optimiser.h"
#include "engine/step_shape.h"
#include "tilebeam/schedule_evaluator.h"
#include "tilebeam/solver.h"

namespace tilebeam {
namespace {

// Optimises each shape of an op once.
class SingleOps {
 public:
  SingleOps(const Problem& problem, const SolverOptions& options)
      : problem_(problem), depth_(options.depth), optimiser_(options.without) {}

  BestStep best(OpId o) {
    const std::vector<OpId> single{o};
    constexpr std::uint64_t kNeededOutside = 1;  // as every sink's output is
    const auto [known, isNew] =
        known_.try_emplace(StepKey{digestShape(problem_, single, kNeededOutside), {}});
    if (isNew) known->second = optimise(o);
    return known->second;
  }

 private:
  BestStep optimise(OpId o) {
    const Subgraph subgraph(problem_, {o});
    if (subgraph.violation()) return {};
    StepContext context;
    context.stored.push_back(problem_.op(o).output);
    return optimiser_.optimise(subgraph, context, depth_);
  }

  const Problem& problem_;
  DepthReading depth_;
  StepOptimiser optimiser_;
  std::unordered_map<StepKey, BestStep, StepKeyHash> known_;
};

}  // namespace

std::optional<PricedSchedule> singleOpSchedule(const Problem& problem,
                                               const SolverOptions& options) {
  SingleOps singles(problem, options);
  Plan plan;
  for (const OpId o : problem.graph().topologicalOrder()) {
    const BestStep best = singles.best(o);
    if (!best.feasible()) return std::nullopt;
    plan.steps.push_back(plannedStep(problem, {o}, {}, best));
  }
  PricedSchedule result{scheduleOf(plan), {}};
  const Evaluation evaluation =
      ScheduleEvaluator(problem, {options.depth, SimulatorChoice::kFastest})
          .evaluate(result.schedule);
  if (!evaluation.valid()) return std::nullopt;
  for (const StepReport& report : evaluation.steps) {
    result.stepLatencies.push_back(report.account.cost.latency);
  }
  return result;
}

}  // namespace tilebeam
