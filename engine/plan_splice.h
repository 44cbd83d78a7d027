// The best of several plans, stretch by stretch.
#pragma once

#include <span>

#include "engine/plan.h"

namespace tilebeam {

// The cheapest plan made of stretches of the given ones, which run every op of the graph once each:
// wherever two of them have covered the same ops and retain nothing, one may go on as the other
// does.
Plan splice(std::span<const Plan* const> plans);

}  // namespace tilebeam
