// What the structure of a set of ops says of it before any step is scored.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "engine/candidate_generator.h"

namespace tilebeam {

enum class SetVerdict : std::uint8_t {
  kFeasible,
  kBroken,   // more ops may mend it
  kHopeless  // no larger set is better
};

// Sets are in topological order, of at most kMaxCandidateOps ops. Not thread-safe.
class SetRules {
 public:
  SetRules(const Problem& problem, const GeneratorLimits& limits)
      : problem_(problem), graph_(problem.graph()), limits_(limits) {}

  // `remade`: see Candidate.
  SetVerdict judge(const std::vector<OpId>& ops, std::uint32_t& remade);

  // Internal tensors, by op, that are needed outside but are made strip by strip, so cannot be
  // stored.
  std::uint32_t unstorable(const std::vector<OpId>& ops) const;

 private:
  bool isOff(Feature f) const { return limits_.without.contains(f); }
  bool splitsPrologue(const std::vector<OpId>& ops) const;
  bool hasForbiddenEdge(const std::vector<OpId>& ops) const;
  bool hasForbiddenOutputs(const std::vector<OpId>& ops) const;
  std::uint32_t runBefore(const std::vector<OpId>& ops);

  const Problem& problem_;
  const Graph& graph_;
  const GeneratorLimits& limits_;
  std::unordered_set<std::int32_t> visited_;
  std::vector<OpId> walk_;
};

}  // namespace tilebeam
