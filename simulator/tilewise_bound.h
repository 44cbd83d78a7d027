// A lower bound on a step at one granularity, over all traversal orders, summed tile by tile with
// real rectangles: for tensors that are demanded over two kinds of rectangle, which coincide on
// single tiles (docs/bounds.md, "One step"). Private to the simulator.
#pragma once

#include <cstdint>

#include "step_profile.h"

namespace tilebeam {

// About as many iterations as would be looked at, to be weighed before.
double tilewiseEffort(const StepProfile& profile, const Granularity& g);

// Infinite if it does not fit in `capacity`, what is carried in being aside. May be too low where
// it reaches `cutoff`.
double tilewiseBound(const StepProfile& profile, const Granularity& g, std::int64_t capacity,
                     double cutoff);

}  // namespace tilebeam
