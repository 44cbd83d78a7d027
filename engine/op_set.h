// A feasible set of ops on its way to be a candidate.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/candidate_pool.h"

namespace tilebeam {

struct OpSet {
  std::vector<OpId> ops;  // in topological order
  Candidate candidate;
};

inline bool better(const OpSet& a, const OpSet& b) {
  return a.candidate.excess != b.candidate.excess ? a.candidate.excess < b.candidate.excess
                                                  : a.ops < b.ops;
}

inline std::uint64_t hashOf(const std::vector<OpId>& ops) {
  std::uint64_t h = 0;
  for (const OpId o : ops) h += opSetHash(o);
  return h;
}

}  // namespace tilebeam
