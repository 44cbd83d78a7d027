#include "engine/search_round.h"

#include <utility>

#include "engine/scope_search.h"
#include "engine/segment_search.h"
#include "engine/step_merging.h"
#include "engine/window_improver.h"

namespace tilebeam {

SearchRound::SearchRound(const RoundSetting& setting, std::int64_t number, OpPrices prices,
                         SearchPosition* position)
    : setting_(setting),
      number_(number),
      prices_(std::move(prices)),
      effort_(effortOfRound(number, setting.scorer.problem().opCount())) {
  const SolverOptions& options = setting.options;
  if (options.without.contains(Feature::kRecomputation)) {
    effort_.recomputation = effort_.generator.recomputation = false;
  }
  if (options.beamWidth > 0) effort_.beamWidth = static_cast<std::size_t>(options.beamWidth);
  effort_.generator.window = options.window;
  effort_.generator.without = options.without;
  beam_.width = effort_.beamWidth;
  beam_.grainSize = static_cast<std::size_t>(options.grainSize);
  beam_.tokens = static_cast<std::size_t>(options.tokens);
  beam_.position = position;
}

void SearchRound::run(const std::function<bool()>& stop, TraceRecorder& recorder) {
  const BestPlans& plans = setting_.plans;
  if (effort_.prices == PriceSource::kIncumbent && plans.found()) {
    prices_ = pricesOf(plans.base());
  }
  if (effort_.freshPrices) {
    prices_ = setting_.singles;
  } else if (plans.found()) {
    unions_ = StepUnions(setting_.scorer.problem(), plans.base());
    effort_.generator.unions = &unions_;
  }
  if (effort_.kind == RoundKind::kBeam) return searchGraph(stop, recorder);
  if (!plans.found()) return;
  if (effort_.kind == RoundKind::kMerging) {
    if (beam_.position != nullptr) beam_.position->enter(SearchPhase::kWindows, 1);
    return mergeSteps(plans.base(), stop, recorder);
  }
  if (setting_.options.without.contains(Feature::kWindows)) return;
  improveWindows(plans.incumbent().plan, stop, recorder);
  if (!plans.baseIsIncumbent()) improveWindows(plans.base(), stop, recorder);
}

void SearchRound::searchGraph(const std::function<bool()>& stop, TraceRecorder& recorder) {
  const OpPrices& singles = setting_.singles;
  const bool shares = effort_.prices == PriceSource::kShares;
  if (effort_.segmentOps > 0) {
    const SegmentSearch search(setting_.scorer, effort_, setting_.opFloors, beam_);
    const auto segments = cutSegments(setting_.scorer.problem(), effort_.segmentOps, effort_.shift);
    if (auto plan = search.run(segments, prices_, shares ? &singles : nullptr, stop, recorder)) {
      mergeSteps(*plan, stop, recorder);
      return keep(*std::move(plan), "segments");
    }
    // Some op may fit only with others from beyond a cut.
  }
  BeamOptions beam = beam_;
  if (setting_.plans.found()) beam.cutoff = setting_.plans.incumbent().plan.latency;
  const ScopeSearch search(setting_.scorer, setting_.scope, effort_, setting_.opFloors,
                           setting_.options.window, beam);
  auto plan =
      shares ? search.run(prices_, singles, stop, recorder) : search.run(prices_, stop, recorder);
  if (!plan) return;
  mergeSteps(*plan, stop, recorder);
  keep(*std::move(plan), "beam");
}

// What it finds comes before the plan that it has it from.
void SearchRound::mergeSteps(const Plan& plan, const std::function<bool()>& stop,
                             TraceRecorder& recorder) {
  if (setting_.options.without.contains(Feature::kMerging)) return;
  const StepMerging merging(setting_.scorer, setting_.options.without);
  const auto windows = cutWindows(setting_.scorer.problem(), plan, kMostOpsInOne, effort_.shift);
  const auto seed = static_cast<std::uint64_t>(number_);
  if (auto merged = merging.improve(plan, windows, effort_.merging, seed, stop, recorder)) {
    keep(*std::move(merged), "merging");
  }
}

void SearchRound::improveWindows(const Plan& plan, const std::function<bool()>& stop,
                                 TraceRecorder& recorder) {
  if (plan.steps.empty() || stop()) return;
  mergeSteps(plan, stop, recorder);
  const WindowImprover improver(setting_.scorer, prices_, setting_.opFloors, effort_, beam_);
  const auto windows =
      cutWindows(setting_.scorer.problem(), plan, effort_.windowOps, effort_.shift);
  if (auto better = improver.improve(plan, windows, stop, recorder)) {
    keep(*std::move(better), "windows");
  }
}

void SearchRound::keep(Plan plan, const char* source) {
  Plan spliced = setting_.plans.splicedWithBase(plan);
  found_.push_back({std::move(plan), std::move(spliced), source});
}

// Each op's share of its step's latency, in proportion to what the ops cost alone.
OpPrices SearchRound::pricesOf(const Plan& plan) const {
  const OpPrices& singles = setting_.singles;
  OpPrices prices = singles;
  const Graph& graph = setting_.scorer.problem().graph();
  for (const PlannedStep& step : plan.steps) {
    double alone = 0;
    for (const OpId o : step.ops) alone += singles[static_cast<std::size_t>(graph.position(o))];
    for (const OpId o : step.ops) {
      const auto p = static_cast<std::size_t>(graph.position(o));
      prices[p] = alone > 0 ? singles[p] / alone * step.best.latency : 0;
    }
  }
  return prices;
}

}  // namespace tilebeam
