// Random problems that bounds are held against: like randomStepProblem's, but with fast memory so
// tight that retention, whole strips and native tiles are now possible and now not.
#pragma once

#include "support/random_steps.h"

namespace tilebeam::test {

// Of at most `maxOps` ops.
Problem randomBoundProblem(Random& random, std::size_t maxOps);

}  // namespace tilebeam::test
