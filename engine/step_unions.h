// Sets of ops that a plan suggests: its steps, and the unions of steps next to each other.
#pragma once

#include <span>
#include <vector>

#include "engine/candidate_pool.h"
#include "engine/plan.h"

namespace tilebeam {

// Two steps that each do well often do better as one, though neither grows into the other op by
// op: half a step is no better than none.
class StepUnions {
 public:
  StepUnions() = default;
  StepUnions(const Problem& problem, const Plan& plan);

  // The sets whose first op stands at a position, each in topological order and of at most
  // kMaxCandidateOps ops.
  std::span<const std::vector<OpId>> startingAt(Position p) const;

 private:
  std::vector<std::vector<OpId>> sets_;  // by position of the first op
  std::vector<Position> first_;
};

}  // namespace tilebeam
