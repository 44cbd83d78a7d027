// Checks that the schedule evaluator is made of. Private to the simulator.
#pragma once

#include <optional>

#include "tilebeam/schedule.h"
#include "tilebeam/subgraph.h"

namespace tilebeam {

// The traversal order is a permutation of the tiles (cost model, section 2). The granularity obeys
// rule 3.4.
std::optional<Violation> checkTraversal(const Subgraph& subgraph, const Step& step);

}  // namespace tilebeam
