#include "engine/scope_search.h"

namespace tilebeam {

std::optional<Plan> ScopeSearch::run(OpPrices& prices, const OpPrices& singles,
                                     const std::function<bool()>& stop,
                                     TraceRecorder& recorder) const {
  enter(SearchPhase::kCandidates);
  CandidatePool pool =
      generateCandidates(scorer_, scope_, effort_.generator, prices, stop, recorder);
  if (stop()) return std::nullopt;
  sharePrices(pool, singles, prices);
  return searchPool(pool, prices, stop, recorder);
}

std::optional<Plan> ScopeSearch::run(const OpPrices& prices, const std::function<bool()>& stop,
                                     TraceRecorder& recorder) const {
  enter(SearchPhase::kCandidates);
  CandidatePool pool =
      generateCandidates(scorer_, scope_, effort_.generator, prices, stop, recorder);
  if (stop()) return std::nullopt;
  return searchPool(pool, prices, stop, recorder);
}

std::optional<Plan> ScopeSearch::searchPool(CandidatePool& pool, const OpPrices& prices,
                                            const std::function<bool()>& stop,
                                            TraceRecorder& recorder) const {
  ExpanderLimits limits;
  limits.window = window_;
  limits.seeds = effort_.seeds;
  limits.recomputation = effort_.recomputation;
  limits.retention = !effort_.generator.without.contains(Feature::kRetention);
  Suggestions suggestions;
  std::optional<Plan> best;
  BeamOptions options = beam_;
  for (std::size_t pass = 0;; ++pass) {
    pool.finish(prices, limits.recomputation, recorder);
    const TakerIndex takers(scorer_.problem(), pool, stop, recorder);
    Expander expander(scorer_, scope_, pool, takers, prices, opFloors_, limits);
    enter(SearchPhase::kBeam, scorer_.problem().opCount());
    const bool more = pass < effort_.completions;
    if (more) expander.noteSuggestions(&suggestions);
    if (auto plan = BeamSearch(scorer_, pool, expander, options).run(stop, recorder)) {
      options.cutoff = plan->latency;
      best = std::move(plan);
    }
    if (!more || stop()) break;
    const auto suggested = suggestions.take();
    if (addSuggested(pool, scorer_, effort_.generator, prices, suggested, stop, recorder) == 0) {
      break;
    }
  }
  return best;
}

}  // namespace tilebeam
