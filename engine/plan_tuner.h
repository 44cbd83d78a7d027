// The finish of a schedule: its steps keep their ops and what they retain, and get the best form
// there is. The search scores thousands of steps and looks at some forms of each; here, lower
// bounds tell which granularities could be better at all, and more orders of the tiles are tried.
#pragma once

#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "engine/best_plans.h"
#include "engine/order_search.h"
#include "engine/step_scorer.h"
#include "engine/trace_recorder.h"

namespace tilebeam {

// The step in the best form that is found until `stop` says so; `known` if that is the best. If
// `known` is infeasible, so may be what comes back.
OrderedStep tuned(const Subgraph& subgraph, const StepContext& context, DepthReading depth,
                  OrderedStep known, const std::function<bool()>& stop,
                  TraceRecorder& recorder = TraceRecorder::none());

PlannedStep plannedStep(const Problem& problem, std::vector<OpId> ops,
                        std::vector<TensorId> retained, const OrderedStep& step);

// Steps of equal shape are tuned once.
class PlanTuner {
 public:
  // What it finds goes to the scorer too, which outlives it: call it while no worker is at work.
  explicit PlanTuner(StepScorer& scorer) : scorer_(scorer) {}

  // The plan with all its steps tuned, as far as `stop` allows: side by side, and a limited number
  // of steps of new shapes in one call. No steps if there is nothing to better.
  Plan tune(const ConfirmedPlan& confirmed, const std::function<bool()>& stop,
            TraceRecorder& recorder);

  // Whether another call with the same plan would tune more of it.
  bool hasMore() const { return hasMore_; }

 private:
  struct Place {
    std::optional<StepKey> key;
    StepContext context;
  };
  std::vector<Place> placesOf(const ConfirmedPlan& confirmed, TraceRecorder& recorder) const;
  void tuneStep(const PlannedStep& step, const Place& place, const std::function<bool()>& stop,
                TraceRecorder& recorder);

  StepScorer& scorer_;
  std::unordered_map<StepKey, OrderedStep, StepKeyHash> tuned_;
  bool hasMore_ = false;
};

}  // namespace tilebeam
