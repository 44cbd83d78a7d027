// Unavoidable traffic (docs/bounds.md): what must be loaded and stored whatever the schedule, and
// in which block's steps. Private to the simulator.
#pragma once

#include <vector>

#include "bound_structure.h"
#include "tilebeam/problem.h"

namespace tilebeam {

struct UnavoidableTraffic {
  std::vector<double> perOp;  // elements that move in the step which first covers the op
  double anywhere = 0;        // elements that some further step stores, whichever it is
};

// `skipped`, by tensor: those whose loads are not counted.
UnavoidableTraffic unavoidableTraffic(const Problem& problem, const BoundStructure& structure,
                                      const std::vector<bool>& skipped);

}  // namespace tilebeam
