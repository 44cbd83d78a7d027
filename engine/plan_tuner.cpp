#include "engine/plan_tuner.h"

#include <utility>

#include "engine/recorded_tasks.h"
#include "tilebeam/step_bound.h"

namespace tilebeam {
namespace {

// Granularities whose bounds are looked at, and those that are tried; some ten milliseconds each at
// the most.
constexpr std::int64_t kMostGranularities = std::int64_t{1} << 16;
constexpr int kMostTried = 1024;

// Of one call, so that the search goes on.
constexpr std::size_t kMostSteps = 256;

bool isBetter(const OrderedStep& a, double than) { return a.best.latency < than * kWorthwhile; }

}  // namespace

PlannedStep plannedStep(const Problem& problem, std::vector<OpId> ops,
                        std::vector<TensorId> retained, const OrderedStep& step) {
  if (step.order.empty()) {
    return plannedStep(problem, std::move(ops), std::move(retained), step.best);
  }
  return {std::move(ops), std::move(retained), step.best, step.order};
}

OrderedStep tuned(const Subgraph& subgraph, const StepContext& context, DepthReading depth,
                  OrderedStep known, const std::function<bool()>& stop, TraceRecorder& recorder) {
  OrderSearch search(subgraph, context, depth, std::move(known), recorder);
  const auto below = [&] { return search.best().best.latency * kWorthwhile; };
  int tried = 0;
  visitPromising(subgraph, context, depth, 0, TileLengths::kAll, below(), kMostGranularities,
                 [&](const Granularity& g) {
                   constexpr double kNone = 0;
                   if (++tried > kMostTried || search.exhausted() || stop()) return kNone;
                   search.tryAt(g);
                   return below();
                 });
  return search.best();
}

Plan PlanTuner::tune(const ConfirmedPlan& confirmed, const std::function<bool()>& stop,
                     TraceRecorder& recorder) {
  const Plan& plan = confirmed.plan;
  const std::vector<Place> places = placesOf(confirmed, recorder);
  std::vector<std::size_t> fresh;  // steps of shapes that have not come up before
  std::size_t i = 0;
  for (; i < places.size() && fresh.size() < kMostSteps; ++i) {
    if (!places[i].key) continue;
    const PlannedStep& step = plan.steps[i];
    if (tuned_.try_emplace(*places[i].key, OrderedStep{step.best, step.order}).second) {
      fresh.push_back(i);
    }
  }
  hasMore_ = i < places.size();
  recordedChains(recorder, TraceKind::kOther, fresh.size(), [&](std::size_t f, auto& chain) {
    if (!stop()) tuneStep(plan.steps[fresh[f]], places[fresh[f]], stop, chain);
  });

  Plan better;  // no copy of a plan that stays as it is
  for (i = 0; i < places.size(); ++i) {
    const auto it = places[i].key ? tuned_.find(*places[i].key) : tuned_.end();
    const PlannedStep& step = plan.steps[i];
    if (it == tuned_.end() || !isBetter(it->second, step.best.latency)) continue;
    if (better.steps.empty()) better = plan;
    better.steps[i] = plannedStep(scorer_.problem(), step.ops, step.retained, it->second);
  }
  if (better.steps.empty()) return {};
  better.latency = latencyOf(better.steps);
  return better;
}

void PlanTuner::tuneStep(const PlannedStep& step, const Place& place,
                         const std::function<bool()>& stop, TraceRecorder& recorder) {
  const Subgraph subgraph(scorer_.problem(), step.ops);
  OrderedStep& best = tuned_.at(*place.key);
  best = tuned(subgraph, place.context, scorer_.depth(), std::move(best), stop, recorder);
  if (best.order.empty()) scorer_.improve(*place.key, best.best);
}

std::vector<PlanTuner::Place> PlanTuner::placesOf(const ConfirmedPlan& confirmed,
                                                  TraceRecorder& recorder) const {
  const std::vector<PlannedStep>& steps = confirmed.plan.steps;
  std::vector<Place> places(steps.size());
  sharedOut(recorder, TraceKind::kOther, steps.size(), [&](std::size_t i) {
    StepContext& context = places[i].context;
    if (i > 0) context.resident = steps[i - 1].retained;
    context.retained = steps[i].retained;
    context.stored = confirmed.stored[i];
    places[i].key = scorer_.keyOf(steps[i].ops, context);
  });
  return places;
}

}  // namespace tilebeam
