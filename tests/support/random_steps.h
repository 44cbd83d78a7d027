// Small random steps for the property tests: connected subgraphs of all op mixes on ragged shapes,
// with random contexts and granularities that obey the rules. Built back from the sinks, so that
// nested MatMuls, prologues, shared tensors and several roots all come up often.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "tilebeam/problem.h"
#include "tilebeam/step_simulator.h"
#include "tilebeam/subgraph.h"

namespace tilebeam::test {

// A platform-independent source of small random integers.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool chance(int percent) { return between(1, 100) <= percent; }

 private:
  std::mt19937_64 engine_;
};

// A problem all of whose ops form one candidate step.
Problem randomStepProblem(Random& random);

// All ops of the problem, producers first.
std::vector<OpId> allOps(const Problem& problem);

StepContext randomContext(const Subgraph& subgraph, Random& random);

// A granularity that obeys rules 3.4 and 3.5.
Granularity randomGranularity(const Subgraph& subgraph, Random& random);

}  // namespace tilebeam::test
