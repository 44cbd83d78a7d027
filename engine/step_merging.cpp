#include "engine/step_merging.h"

#include <algorithm>
#include <optional>
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

// None if nothing better was found.
std::vector<StepChain> searched(Regrouping regrouping, const RegroupingScope& scope,
                                std::size_t trials, std::uint64_t seed,
                                std::optional<std::uint64_t> chance, TraceRecorder& recorder) {
  const bool better = regrouping.improve(recorder, chance);
  if (trials > 0) {
    RegroupingTrials further(scope, regrouping.copy(), recorder);
    if (further.run(trials * regrouping.groups().present().size(), seed)) {
      return further.takeBest();
    }
  }
  return better ? regrouping.copy() : std::vector<StepChain>{};
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
  std::vector<std::vector<StepChain>> found(1 + effort.starts);
  recordedChains(recorder, TraceKind::kWindows, found.size(), [&](std::size_t i, auto& chain) {
    if (i == 0) {
      found[i] = searched({scope, chains}, scope, effort.trials, seed, {}, chain);
    } else {
      const std::uint64_t own = mix(seed + i);
      found[i] = searched({scope, singlesOf(scope, chains)}, scope, effort.trials / kShareOfTrials,
                          own, mix(own), chain);
    }
  });
  if (std::all_of(found.begin(), found.end(), [](const auto& f) { return f.empty(); })) return {};
  bool better = !found.front().empty();
  Regrouping best(scope, std::move(better ? found.front() : chains));
  for (std::size_t i = 1; i < found.size(); ++i) {
    if (!found[i].empty()) better = best.cross(found[i]) || better;
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
