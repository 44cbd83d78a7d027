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

// What a search has come to.
struct Found {
  std::vector<StepChain> chains;
  bool better = false;  // than what it began with
};

Found searched(Regrouping& regrouping, const RegroupingScope& scope, std::size_t trials,
               std::uint64_t seed, std::optional<std::uint64_t> chance, TraceRecorder& recorder) {
  const bool better = regrouping.improve(recorder, chance);
  if (trials > 0) {
    RegroupingTrials further(scope, regrouping.copy(), recorder);
    if (further.run(trials * regrouping.groups().present().size(), seed)) {
      return {further.takeBest(), true};
    }
  }
  return {regrouping.copy(), better};
}

// None if one of the ops does not fit alone.
std::vector<StepChain> singlesOf(const RegroupingScope& scope,
                                 const std::vector<StepChain>& chains) {
  std::vector<StepChain> singles;
  for (const StepChain& chain : chains) {
    for (const PlannedStep& step : chain) {
      for (const OpId o : step.ops) {
        const BestStep best = scope.chains.score({o});
        if (!best.feasible()) return {};
        singles.push_back({{{o}, {}, best, {}}});
      }
    }
  }
  return singles;
}

// No steps if it could not be bettered.
StepChain bettered(const RegroupingScope& scope, std::vector<StepChain> chains,
                   const MergingEffort& effort, std::uint64_t seed, TraceRecorder& recorder) {
  // Those that start anew are to tell of other ways; they are not followed to their ends.
  constexpr std::size_t kShareOfTrials = 4;
  std::vector<Found> found(1 + effort.starts);
  recordedChains(recorder, TraceKind::kWindows, found.size(), [&](std::size_t i, auto& chain) {
    if (i == 0) {
      Regrouping onwards(scope, chains);
      found[i] = searched(onwards, scope, effort.trials, seed, {}, chain);
    } else {
      Regrouping anew(scope, singlesOf(scope, chains));
      const std::uint64_t own = mix(seed + i);
      found[i] = searched(anew, scope, effort.trials / kShareOfTrials, own, mix(own), chain);
    }
  });
  Regrouping best(scope, std::move(found.front().chains));
  bool better = found.front().better;
  for (std::size_t i = 1; i < found.size(); ++i) {
    if (!found[i].chains.empty()) better = best.cross(found[i].chains) || better;
  }
  if (!better) return {};
  StepChain all = best.groups().steps();
  for (PlannedStep& step : all) {
    if (step.order.empty()) {
      step = plannedStep(scope.problem, std::move(step.ops), std::move(step.retained), step.best);
    }
  }
  return all;
}

}  // namespace

std::optional<Plan> StepMerging::improve(const Plan& plan, const std::vector<PlanWindow>& windows,
                                         const MergingEffort& effort, std::uint64_t seed,
                                         const std::function<bool()>& stop,
                                         TraceRecorder& recorder) const {
  std::vector<StepChain> steps(windows.size());
  const auto improveOne = [&](std::size_t i, TraceRecorder& chain) {
    if (stop()) return;
    const SearchScope within(positionsOf(scorer_.problem(), plan, windows[i]));
    const RegroupingScope scope(scorer_, within, without_, stop);
    steps[i] = bettered(scope, chainsOf(plan, windows[i]), effort, mix(seed + i), chain);
  };
  recordedChains(recorder, TraceKind::kWindows, windows.size(), improveOne);
  return replaceWindows(plan, windows, std::move(steps));
}

}  // namespace tilebeam
