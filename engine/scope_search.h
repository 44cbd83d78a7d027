// One search of a scope: candidates, beam, and the beam again with the candidates that it lacked.
#pragma once

#include <functional>
#include <optional>

#include "engine/beam_search.h"
#include "engine/search_effort.h"

namespace tilebeam {

class ScopeSearch {
 public:
  // `opFloors` by position. `beam` holds the latency to better as its cutoff.
  ScopeSearch(StepScorer& scorer, const SearchScope& scope, const RoundEffort& effort,
              const std::vector<double>& opFloors, Position window, const BeamOptions& beam)
      : scorer_(scorer),
        scope_(scope),
        effort_(effort),
        opFloors_(opFloors),
        window_(window),
        beam_(beam) {}

  // The best plan below the cutoff; empty if there is none or `stop` said true. With `singles`
  // given, the beam's prices are shares of the pool, which are left in `prices`.
  std::optional<Plan> run(OpPrices& prices, const OpPrices& singles,
                          const std::function<bool()>& stop,
                          TraceRecorder& recorder = TraceRecorder::none()) const;
  std::optional<Plan> run(const OpPrices& prices, const std::function<bool()>& stop,
                          TraceRecorder& recorder = TraceRecorder::none()) const;

 private:
  std::optional<Plan> searchPool(CandidatePool& pool, const OpPrices& prices,
                                 const std::function<bool()>& stop, TraceRecorder& recorder) const;
  void enter(SearchPhase phase, std::size_t total = 0) const {
    if (beam_.position != nullptr) beam_.position->enter(phase, total);
  }

  StepScorer& scorer_;
  const SearchScope& scope_;
  const RoundEffort& effort_;
  const std::vector<double>& opFloors_;
  Position window_;
  BeamOptions beam_;
};

}  // namespace tilebeam
