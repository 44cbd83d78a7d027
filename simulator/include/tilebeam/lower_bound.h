// Proven lower bounds on the total latency of every valid schedule, with what they rest on. The
// arguments stand in docs/bounds.md.
#pragma once

#include <string>
#include <vector>

#include "tilebeam/problem.h"

namespace tilebeam {

struct BoundTerm {
  std::string name;      // e.g. "compute"
  std::string argument;  // one line
  double value = 0;      // time units; a valid bound of its own
};

struct LowerBound {
  double value = 0;  // the best of the terms
  std::vector<BoundTerm> terms;
};

// Near-linear in the size of the problem.
LowerBound lowerBound(const Problem& problem, DepthReading depth);

// (latency - bound) / latency; 0 for a latency of 0.
inline double relativeGap(double latency, double bound) {
  return latency > 0 ? (latency - bound) / latency : 0;
}

// The least compute time that any step spends on covering this op once (see docs/bounds.md): a
// MatMul's reduction is charged in proportion, all other axes are padded to native.
double opComputeBound(const Problem& problem, OpId op, DepthReading depth);

}  // namespace tilebeam
