// The sets of ops that grow from one op; see candidate_generator.h.
#pragma once

#include <functional>
#include <vector>

#include "engine/ancestors.h"
#include "engine/candidate_generator.h"
#include "engine/neighbours.h"
#include "engine/op_set.h"

namespace tilebeam {

// What growth looks up of the graph, made once for all seeds of a scope.
struct ScopeGraph {
  ScopeGraph(const Problem& problem, const SearchScope& within, const GeneratorLimits& limits)
      : scope(within),
        ancestors(problem, scope.begin(), scope.end()),
        neighbours(problem, scope, limits.siblings) {}

  const SearchScope& scope;
  Ancestors ancestors;
  Neighbours neighbours;
};

// The best few sets of each size that hold `seed`. Once `stop` says true, no more are found.
std::vector<OpSet> growSeed(StepScorer& scorer, const ScopeGraph& scope,
                            const GeneratorLimits& limits, const OpPrices& prices,
                            const std::function<bool()>& stop, OpId seed, TraceRecorder& recorder);

}  // namespace tilebeam
