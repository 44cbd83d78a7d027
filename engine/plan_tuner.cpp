#include "engine/plan_tuner.h"

#include <utility>

#include "engine/recorded_tasks.h"
#include "tilebeam/step_bound.h"

namespace tilebeam {
namespace {

// Granularities whose bounds are looked at; some ten milliseconds at the most.
constexpr std::int64_t kMostGranularities = std::int64_t{1} << 16;

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
                  OrderedStep known) {
  OrderSearch search(subgraph, context, depth, std::move(known));
  const auto below = [&] { return search.best().best.latency * kWorthwhile; };
  visitPromising(subgraph, context, depth, 0, TileLengths::kAll, below(), kMostGranularities,
                 [&](const Granularity& g) {
                   search.tryAt(g);
                   return below();
                 });
  return search.best();
}

Plan PlanTuner::tune(const Plan& plan, const std::function<bool()>& stop, TraceRecorder& recorder) {
  const Problem& problem = scorer_.problem();
  std::vector<Subgraph> subgraphs;
  subgraphs.reserve(plan.steps.size());
  for (const PlannedStep& step : plan.steps) subgraphs.emplace_back(problem, step.ops);
  const std::vector<Place> places = placesOf(plan, subgraphs);

  std::vector<std::size_t> fresh;  // steps of shapes that have not come up before
  for (std::size_t i = 0; i < places.size() && fresh.size() < kMostSteps; ++i) {
    if (!places[i].key) continue;
    const PlannedStep& step = plan.steps[i];
    if (tuned_.try_emplace(*places[i].key, OrderedStep{step.best, step.order}).second) {
      fresh.push_back(i);
    }
  }
  sharedOut(recorder, TraceKind::kOther, fresh.size(), [&](std::size_t f) {
    if (stop()) return;
    const Place& place = places[fresh[f]];
    OrderedStep& step = tuned_.at(*place.key);
    step = tuned(subgraphs[fresh[f]], place.context, scorer_.depth(), std::move(step));
    if (step.order.empty()) scorer_.improve(*place.key, step.best);
  });

  Plan better = plan;
  bool any = false;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto it = places[i].key ? tuned_.find(*places[i].key) : tuned_.end();
    PlannedStep& step = better.steps[i];
    if (it == tuned_.end() || !isBetter(it->second, step.best.latency)) continue;
    any = true;
    step = plannedStep(problem, step.ops, step.retained, it->second);
  }
  if (!any) return {};
  better.latency = latencyOf(better.steps);
  return better;
}

std::vector<PlanTuner::Place> PlanTuner::placesOf(const Plan& plan,
                                                  const std::vector<Subgraph>& subgraphs) const {
  std::vector<std::vector<TensorId>> retained;
  for (const PlannedStep& step : plan.steps) retained.push_back(step.retained);
  auto stored = storedTensors(scorer_.problem(), subgraphs, retained);
  std::vector<Place> places(plan.steps.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    Place& place = places[i];
    if (i > 0) place.context.resident = retained[i - 1];
    place.context.retained = retained[i];
    place.context.stored = std::move(stored[i]);
    place.key = scorer_.keyOf(plan.steps[i].ops, place.context);
  }
  return places;
}

}  // namespace tilebeam
