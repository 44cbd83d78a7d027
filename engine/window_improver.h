// Large-neighbourhood search: runs of steps of the incumbent are solved again with wider beams and
// richer candidates, many at once across the cores.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "engine/plan.h"
#include "engine/scope_search.h"

namespace tilebeam {

// Steps [first, last) of a plan. No tensor is retained across its ends, and no op of it stands in
// any other step, so it can be replaced without a look at the rest.
struct PlanWindow {
  std::size_t first = 0;
  std::size_t last = 0;
};

// Cuts the plan in disjoint windows of about `ops` ops, the first of about `ops * shift`. Stretches
// that cannot be replaced on their own are left out.
std::vector<PlanWindow> cutWindows(const Problem& problem, const Plan& plan, std::size_t ops,
                                   double shift);

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
