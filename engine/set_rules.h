// What the structure of a set of ops says of it before any step is scored.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/ancestors.h"
#include "engine/candidate_generator.h"

namespace tilebeam {

enum class SetVerdict : std::uint8_t {
  kFeasible,
  kBroken,   // more ops may mend it
  kHopeless  // no larger set is better
};

// Sets are in topological order, of at most kMaxCandidateOps ops, no two of them kMaxWindow
// positions apart or more.
class SetRules {
 public:
  // `ancestors` holds all ops of the sets.
  SetRules(const Problem& problem, const Ancestors& ancestors, const GeneratorLimits& limits)
      : problem_(problem), graph_(problem.graph()), ancestors_(ancestors), limits_(limits) {}

  // `remade`: see Candidate.
  SetVerdict judge(const std::vector<OpId>& ops, OpBits& remade) const;

  // Internal tensors, by op, that are needed outside but are made strip by strip, so cannot be
  // stored.
  OpBits unstorable(const std::vector<OpId>& ops) const;

 private:
  bool isOff(Feature f) const { return limits_.without.contains(f); }
  bool splitsPrologue(const std::vector<OpId>& ops) const;
  bool hasForbiddenEdge(const std::vector<OpId>& ops) const;
  bool hasForbiddenOutputs(const std::vector<OpId>& ops) const;
  OpBits runBefore(const std::vector<OpId>& ops) const;
  OpBits leadingTo(Position to, const std::vector<OpId>& ops) const;

  const Problem& problem_;
  const Graph& graph_;
  const Ancestors& ancestors_;
  const GeneratorLimits& limits_;
};

}  // namespace tilebeam
