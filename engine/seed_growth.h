// The sets of ops that grow from one op; see candidate_generator.h.
#pragma once

#include <functional>
#include <vector>

#include "engine/ancestors.h"
#include "engine/candidate_generator.h"
#include "engine/op_set.h"

namespace tilebeam {

// The best few sets of each size that hold `seed`; `ancestors` are the scope's. Once `stop` says
// true, no more are found.
std::vector<OpSet> growSeed(StepScorer& scorer, const SearchScope& scope,
                            const Ancestors& ancestors, const GeneratorLimits& limits,
                            const OpPrices& prices, const std::function<bool()>& stop, OpId seed,
                            TraceRecorder& recorder);

}  // namespace tilebeam
