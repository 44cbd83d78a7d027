// Random problems that bounds are held against: like randomStepProblem's, but with fast memory so
// tight that retention, whole strips and native tiles are now possible and now not.
#pragma once

#include "support/random_steps.h"

namespace tilebeam::test {

// Of at most `maxOps` ops.
Problem randomBoundProblem(Random& random, std::size_t maxOps);

// Chains of MatMuls that share right-hand or left-hand sides too large for fast memory, some with
// Pointwise ops between or behind; of at most `maxOps` ops.
Problem randomSharedOperandProblem(Random& random, std::size_t maxOps);

}  // namespace tilebeam::test
