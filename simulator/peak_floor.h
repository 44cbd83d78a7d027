// Fast memory that a step takes at any granularity. Private to the simulator.
#pragma once

#include <cstdint>

#include "step_profile.h"

namespace tilebeam {

// What is resident, and what a tile of a single element takes in its first and in its last k-step,
// retained outputs included. Of a tensor that is demanded over several rectangles, which may
// coincide, the largest counts.
std::int64_t peakFloor(const StepProfile& profile);

}  // namespace tilebeam
