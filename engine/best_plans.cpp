#include "engine/best_plans.h"

#include <array>
#include <cassert>
#include <cmath>
#include <utility>

#include "engine/plan_splice.h"

namespace tilebeam {

bool BestPlans::isBetter(const Plan& plan) const {
  return !found() || plan.latency < incumbent_.plan.latency * kWorthwhile;
}

bool BestPlans::isBetterBase(const Plan& plan) const {
  // Few plans come as far as to have their ops counted.
  return (plan.latency < base().latency * kWorthwhile || !runsOnce(base())) && runsOnce(plan);
}

bool BestPlans::wants(const Plan& plan) const {
  return !plan.steps.empty() && (isBetter(plan) || isBetterBase(plan));
}

bool BestPlans::offer(Plan plan) {
  if (!wants(plan)) return false;
  const bool betterBase = !isBetter(plan);
  auto confirmed = confirm(std::move(plan));
  if (!confirmed) return false;
  ++version_;
  if (found() && confirmed->plan.latency >= incumbent_.plan.latency) {
    if (betterBase) base_ = std::move(confirmed->plan);
    return false;
  }
  if (runsOnce(confirmed->plan)) {
    base_ = {};
  } else if (found() && runsOnce(incumbent_.plan)) {
    base_ = std::move(incumbent_.plan);
  }
  incumbent_ = *std::move(confirmed);
  return true;
}

Plan BestPlans::splicedWithBase(const Plan& plan) const {
  if (!found() || !runsOnce(plan) || !runsOnce(base())) return {};
  const std::array<const Plan*, 2> both{&base(), &plan};
  return splice(both, base().latency * kWorthwhile);
}

// Nothing if it is invalid.
std::optional<ConfirmedPlan> BestPlans::confirm(Plan plan) {
  ConfirmedPlan confirmed{std::move(plan), {}, {}, {}};
  confirmed.schedule = scheduleOf(confirmed.plan);
  Evaluation evaluation = evaluator_.evaluate(confirmed.schedule);
  const double planned = confirmed.plan.latency;
  const bool asPlanned =
      evaluation.valid() && std::abs(evaluation.totalLatency - planned) <= kRounding * planned;
  assert(asPlanned);
  if (!asPlanned) ++rejected_;
  if (!evaluation.valid()) return std::nullopt;
  confirmed.stepLatencies = stepLatencies(evaluation);
  confirmed.stored.reserve(evaluation.steps.size());
  for (StepReport& step : evaluation.steps) confirmed.stored.push_back(std::move(step.stored));
  if (!asPlanned) confirmed.plan = planOf(confirmed.schedule, confirmed.stepLatencies);
  confirmed.plan.latency = evaluation.totalLatency;
  return confirmed;
}

}  // namespace tilebeam
