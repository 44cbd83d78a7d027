// Large-neighbourhood search: runs of steps of the incumbent are solved again with wider beams and
// richer candidates, many at once across the cores.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "engine/plan.h"
#include "engine/plan_windows.h"
#include "engine/scope_search.h"

namespace tilebeam {

class WindowImprover {
 public:
  // `prices` and `opFloors` by position, for the whole graph.
  WindowImprover(StepScorer& scorer, const OpPrices& prices, const std::vector<double>& opFloors,
                 const RoundEffort& effort, const BeamOptions& beam);

  // The plan with every window that could be bettered replaced; empty if none could. Windows are
  // independent, so the result does not hang on the order in which they are done.
  std::optional<Plan> improve(const Plan& plan, const std::vector<PlanWindow>& windows,
                              const std::function<bool()>& stop,
                              TraceRecorder& recorder = TraceRecorder::none()) const;

 private:
  std::optional<Plan> solveWindow(const Plan& plan, const PlanWindow& window,
                                  const std::function<bool()>& stop, TraceRecorder& recorder) const;

  StepScorer& scorer_;
  const OpPrices& prices_;
  const std::vector<double>& opFloors_;
  const RoundEffort& effort_;
  const BeamOptions& beam_;
};

}  // namespace tilebeam
