// The covering linear program (docs/bounds.md, "Covering"): the highest prices of ops such that no
// set of ops that may form a step is worth more than the step takes at least. Whatever covers all
// ops takes at least the sum of the prices, and what covers some of them at least theirs.
#pragma once

#include <vector>

#include "engine/step_sets.h"

namespace tilebeam {

struct CoveringPrices {
  std::vector<double> perOp;
  double sum = 0;
  bool settled = false;  // the program was solved to its end
};

// Raises the floors of sets where it has to know more. Prices are at most `highest` each. Valid
// whenever the sets are stopped: they, not the solver, are what prices are checked by.
CoveringPrices coveringPrices(StepSets& sets, double highest);

}  // namespace tilebeam
