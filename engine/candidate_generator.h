// Finds the subgraphs worth trying. From structure, not by brute force: from every op, sets grow by
// one neighbouring op at a time (producer, consumer, or fellow consumer of an input; by two where
// one alone breaks a rule), and of each size the best few go on. Chains, cones, epilogues, nested
// MatMuls, prologues and sinks that share inputs all come up this way.
#pragma once

#include <functional>
#include <vector>

#include "engine/candidate_pool.h"
#include "engine/search_scope.h"
#include "engine/step_scorer.h"
#include "engine/step_unions.h"
#include "engine/suggestions.h"
#include "engine/trace_recorder.h"
#include "tilebeam/features.h"

namespace tilebeam {

struct GeneratorLimits {
  std::size_t maxOps = 8;       // ops of a subgraph, at most kMaxCandidateOps
  std::size_t keepPerSize = 6;  // sets of each size that stay, per seed
  std::size_t siblings = 6;     // fellow consumers tried per tensor
  Position window = 256;        // furthest distance of two ops of a set
  FeatureSet without;           // kinds of sets that are left out
  bool recomputation = true;    // sets may leave internal tensors to be made again by later steps
  const StepUnions* unions = nullptr;  // sets that growth begins with beside single ops, if any
};

// What covering each op costs, as an estimate; by position. Sets are compared by their latency in
// excess of their ops' prices.
using OpPrices = std::vector<double>;

// The latency of each op alone, by position. Where an op fits at no granularity alone, its compute
// bound.
OpPrices singlePrices(StepScorer& scorer, TraceRecorder& recorder = TraceRecorder::none());

// Sets the prices in the pool's range: each op's share of the cheapest set that holds it.
void sharePrices(const CandidatePool& pool, const OpPrices& singles, OpPrices& prices);

// Sets of ops within `scope`. Call within the arena that is to do the work. The pool is not
// finished. Once `stop` says true, the ops that are left get no sets.
CandidatePool generateCandidates(
    StepScorer& scorer, const SearchScope& scope, const GeneratorLimits& limits,
    const OpPrices& prices, const std::function<bool()>& stop = [] { return false; },
    TraceRecorder& recorder = TraceRecorder::none());

// Adds the feasible ones of `sets` (each in topological order) that are among the best of their
// size and first op; disconnected ones part by part. Returns how many. The pool is to be finished
// again. Once `stop` says true, no more are added.
std::size_t addSuggested(CandidatePool& pool, StepScorer& scorer, const GeneratorLimits& limits,
                         const OpPrices& prices, const std::vector<SuggestedSets>& sets,
                         const std::function<bool()>& stop,
                         TraceRecorder& recorder = TraceRecorder::none());

}  // namespace tilebeam
