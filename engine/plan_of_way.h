// A schedule along the way that the exact search has found: for each step the best form that is
// found near the granularity that its lower bound comes from. Where it takes no more than that, for
// all steps, the schedule is optimal.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "engine/exact_search.h"
#include "engine/plan.h"

namespace tilebeam {

// Empty if there is none: some step fits in none of the forms tried, or takes what was not stored
// (which the search does not keep track of), or `stop` said so.
std::optional<Plan> planOfWay(const Problem& problem, DepthReading depth,
                              const std::vector<ExactStep>& way, const std::function<bool()>& stop);

}  // namespace tilebeam
