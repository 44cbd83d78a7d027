#include "engine/window_improver.h"

#include <algorithm>
#include <span>

#include "engine/recorded_tasks.h"

namespace tilebeam {

WindowImprover::WindowImprover(StepScorer& scorer, const OpPrices& prices,
                               const std::vector<double>& opFloors, const RoundEffort& effort,
                               const BeamOptions& beam)
    : scorer_(scorer), prices_(prices), opFloors_(opFloors), effort_(effort), beam_(beam) {}

std::optional<Plan> WindowImprover::improve(const Plan& plan,
                                            const std::vector<PlanWindow>& windows,
                                            const std::function<bool()>& stop,
                                            TraceRecorder& recorder) const {
  std::vector<std::optional<Plan>> solved(windows.size());
  if (beam_.position != nullptr) beam_.position->enter(SearchPhase::kWindows, windows.size());
  const auto solveOne = [&](std::size_t i, TraceRecorder& window) {
    if (!stop()) solved[i] = solveWindow(plan, windows[i], stop, window);
    if (beam_.position != nullptr) beam_.position->advance();
  };
  recordedChains(recorder, TraceKind::kWindows, windows.size(), solveOne);
  std::vector<std::vector<PlannedStep>> steps(windows.size());
  for (std::size_t i = 0; i < windows.size(); ++i) {
    if (solved[i]) steps[i] = std::move(solved[i]->steps);
  }
  return replaceWindows(plan, windows, std::move(steps));
}

std::optional<Plan> WindowImprover::solveWindow(const Plan& plan, const PlanWindow& window,
                                                const std::function<bool()>& stop,
                                                TraceRecorder& recorder) const {
  const double latency =
      latencyOf(std::span(plan.steps).subspan(window.first, window.last - window.first));
  double floor = 0;
  const std::vector<Position> positions = positionsOf(scorer_.problem(), plan, window);
  for (const Position p : positions) floor += opFloors_[static_cast<std::size_t>(p)];
  if (latency * kWorthwhile <= floor) return std::nullopt;  // as good as can be

  const SearchScope scope(positions);
  BeamOptions beam = beam_;
  beam.position = nullptr;  // windows are counted as wholes
  beam.cutoff = latency * kWorthwhile;
  return ScopeSearch(scorer_, scope, effort_, opFloors_, effort_.generator.window, beam)
      .run(prices_, stop, recorder);
}

}  // namespace tilebeam
