#include "engine/step_merging.h"

#include <utility>

#include "engine/recorded_tasks.h"
#include "engine/regrouping.h"
#include "engine/regrouping_trials.h"

namespace tilebeam {
namespace {

std::vector<StepChain> chainsOf(const Plan& plan, const PlanWindow& window) {
  std::vector<StepChain> chains;
  const auto at = [&](std::size_t i) {
    return plan.steps.begin() + static_cast<std::ptrdiff_t>(i);
  };
  for (std::size_t first = window.first; first < window.last;) {
    const std::size_t last = endOfChain(plan, first);
    chains.emplace_back(at(first), at(last));
    first = last;
  }
  return chains;
}

// No steps if it could not be bettered.
StepChain bettered(const RegroupingScope& scope, std::vector<StepChain> chains, std::size_t trials,
                   std::uint64_t seed, TraceRecorder& recorder) {
  Regrouping regrouping(scope, std::move(chains));
  bool better = regrouping.improve(recorder);
  StepChain all = regrouping.groups().steps();
  if (trials > 0) {
    RegroupingTrials further(scope, regrouping.copy(), recorder);
    if (further.run(trials * regrouping.groups().present().size(), seed)) {
      better = true;
      all = Regrouping(scope, further.takeBest()).groups().steps();
    }
  }
  if (!better) return {};
  for (PlannedStep& step : all) {
    if (step.order.empty()) {
      step = plannedStep(scope.problem, std::move(step.ops), std::move(step.retained), step.best);
    }
  }
  return all;
}

}  // namespace

std::optional<Plan> StepMerging::improve(const Plan& plan, const std::vector<PlanWindow>& windows,
                                         std::size_t trials, std::uint64_t seed,
                                         const std::function<bool()>& stop,
                                         TraceRecorder& recorder) const {
  std::vector<StepChain> steps(windows.size());
  const auto improveOne = [&](std::size_t i, TraceRecorder& chain) {
    if (stop()) return;
    const SearchScope within(positionsOf(scorer_.problem(), plan, windows[i]));
    const RegroupingScope scope(scorer_, within, without_, stop);
    steps[i] = bettered(scope, chainsOf(plan, windows[i]), trials, mix(seed + i), chain);
  };
  recordedChains(recorder, TraceKind::kWindows, windows.size(), improveOne);
  return replaceWindows(plan, windows, std::move(steps));
}

}  // namespace tilebeam
