// Holds the two simulators against each other on a whole schedule, as far as the literal one gets
// by with a limited amount of work.
#pragma once

#include <cstdint>
#include <stdexcept>

#include "tilebeam/schedule_evaluator.h"

namespace tilebeam::fuzz {

// What must never happen: two answers to one question.
class Fault : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

struct Agreement {
  bool compared = false;  // false: the literal simulator would have taken too long
  Evaluation evaluation;  // the default simulator's
};

// Iterations times inputs of ops that the literal simulator would go through.
double literalWork(const Problem& problem, const Schedule& schedule);

// Throws Fault where verdict, message, stored tensors, peaks or (beyond 1e-9) sums differ, where a
// sum is not finite, or a valid total is below the lower bound.
Agreement compareSimulators(const Problem& problem, const Schedule& schedule, DepthReading depth,
                            double maxWork);

// Each op as a step of its own. `coarseness` picks the granularities: 0 is the coarsest one, larger
// numbers halve one side or another.
Schedule singleOpSchedule(const Problem& problem, std::uint64_t coarseness);

}  // namespace tilebeam::fuzz
