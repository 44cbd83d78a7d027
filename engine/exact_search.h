// A lower bound by exact search (docs/bounds.md, "Exact search"): the cheapest way through all
// states (ops covered, tensors in slow memory, tensors resident), over all steps, each at its lower
// bound. Best first, by the prices of the covering program for what is left, so that whatever the
// limit, the cheapest open state is a bound too.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "tilebeam/problem.h"
#include "tilebeam/step_bound.h"

namespace tilebeam {

struct ExactLimits {
  double upperBound = std::numeric_limits<double>::infinity();  // a known schedule's total
  std::size_t maxSets = 2'000'000;                              // connected sets looked at
  std::size_t maxStates = 5'000'000;                            // states and step costs held
  BoundEffort effort = BoundEffort::kThorough;                  // for each step
  std::function<bool()> stop;  // asked now and then, from any worker; may be empty
};

// A step of the cheapest way through the states; ops in topological order.
struct ExactStep {
  std::vector<OpId> ops;
  std::vector<TensorId> retained;
};

struct ExactBound {
  double value = 0;       // no valid schedule takes less, except by rounding
  bool complete = false;  // the search ran to its end: more time makes it no better
  std::size_t sets = 0;
  std::size_t states = 0;
  // If it is complete and below limits.upperBound: the way that takes `value` if each of its steps
  // can be done at its lower bound, and can store what later ones take.
  std::vector<ExactStep> way;
};

// The value is never above limits.upperBound; where it meets it, that schedule is optimal.
ExactBound exactBound(const Problem& problem, DepthReading depth, const ExactLimits& limits = {});

}  // namespace tilebeam
