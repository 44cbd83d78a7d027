// The best plans of a search. The evaluator is the only authority on what a plan costs: nothing is
// kept that it has not confirmed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/plan.h"
#include "tilebeam/schedule_evaluator.h"

namespace tilebeam {

struct ConfirmedPlan {
  Plan plan;
  Schedule schedule;
  std::vector<double> stepLatencies;
  std::vector<std::vector<TensorId>> stored;  // by each step
};

class BestPlans {
 public:
  // `problem` outlives it.
  BestPlans(const Problem& problem, const EvaluatorOptions& options)
      : problem_(problem), evaluator_(problem, options) {}

  // Whether the plan is better than the incumbent or the base, if it takes what it says.
  bool wants(const Plan& plan) const;

  // Keeps the plan if it is better than the incumbent, or than the base. True if it has become the
  // incumbent.
  bool offer(Plan plan);

  bool found() const { return !incumbent_.plan.steps.empty(); }
  const ConfirmedPlan& incumbent() const { return incumbent_; }

  // The best plan that runs every op once, or the incumbent if there is none. Ops that run again
  // tie steps together that windows would part.
  const Plan& base() const { return base_.steps.empty() ? incumbent_.plan : base_; }
  bool baseIsIncumbent() const { return base_.steps.empty(); }

  // The best of the plan's and the base's stretches, if that is better than the base and both run
  // every op once; else no steps.
  Plan splicedWithBase(const Plan& plan) const;

  // Rises with each new base.
  std::int64_t version() const { return version_; }

  // Plans that turned out invalid or dearer than they were said to be.
  std::int64_t rejected() const { return rejected_; }

  ConfirmedPlan take() && { return std::move(incumbent_); }

 private:
  bool isBetter(const Plan& plan) const;
  bool isBetterBase(const Plan& plan) const;
  bool runsOnce(const Plan& plan) const { return opsRun(plan) == problem_.opCount(); }
  std::optional<ConfirmedPlan> confirm(Plan plan);

  const Problem& problem_;
  ScheduleEvaluator evaluator_;
  ConfirmedPlan incumbent_;
  Plan base_;  // no steps if it is the incumbent
  std::int64_t version_ = 0;
  std::int64_t rejected_ = 0;
};

}  // namespace tilebeam
