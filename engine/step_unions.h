// Sets of ops that a plan suggests: its steps, and the unions of steps next to each other.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "engine/candidate_pool.h"
#include "engine/plan.h"

namespace tilebeam {

// Two steps that each do well often do better as one, though neither grows into the other op by
// op: half a step is no better than none.
class StepUnions {
 public:
  StepUnions() = default;
  // Both outlive it. Takes time in proportion to the plan; the sets are made when asked for.
  StepUnions(const Problem& problem, const Plan& plan);

  // The sets whose first op stands at a position, each once, in topological order and of at most
  // kMaxCandidateOps ops.
  std::vector<std::vector<OpId>> startingAt(Position p) const;

 private:
  using Number = std::uint32_t;  // of a step

  std::vector<Number> neighbours(Number step) const;
  void add(std::vector<OpId> ops, std::vector<std::vector<OpId>>& sets) const;

  const Problem* problem_ = nullptr;
  const Plan* plan_ = nullptr;
  std::vector<Number> stepOf_;                       // the last step that runs it, by op
  std::vector<Position> first_;                      // of its ops, by step
  std::vector<std::pair<Position, Number>> starts_;  // the same, sorted
};

}  // namespace tilebeam
