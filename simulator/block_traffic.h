// Unavoidable traffic (docs/bounds.md): what must be loaded and stored whatever the schedule, and
// in which block's steps. Private to the simulator.
#pragma once

#include <vector>

#include "bound_structure.h"
#include "tilebeam/problem.h"

namespace tilebeam {

struct UnavoidableTraffic {
  std::vector<double> perBlock;  // elements that move in the steps which cover a block's ops
  double anywhere = 0;           // elements that some further step stores, of whichever block
};

UnavoidableTraffic unavoidableTraffic(const Problem& problem, const BoundStructure& structure);

}  // namespace tilebeam
