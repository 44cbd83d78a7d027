// The best of several plans, stretch by stretch.
#pragma once

#include <limits>
#include <span>

#include "engine/plan.h"

namespace tilebeam {

// The cheapest plan made of stretches of the given ones, which run every op of the graph once each:
// wherever two of them have covered the same ops and retain nothing, one may go on as the other
// does. No steps if it takes `limit` or more.
Plan splice(std::span<const Plan* const> plans,
            double limit = std::numeric_limits<double>::infinity());

}  // namespace tilebeam
