// Counters of the search. Each worker counts for itself; the sums are taken when nobody counts.
#pragma once

#include <oneapi/tbb/enumerable_thread_specific.h>

#include "tilebeam/solver.h"

namespace tilebeam {

class WorkerCounters {
 public:
  SearchCounters& local() { return counters_.local(); }

  // Call while no worker runs.
  SearchCounters sum() const {
    SearchCounters total;
    for (const SearchCounters& c : counters_) {
      total.rounds += c.rounds;
      total.stepsScored += c.stepsScored;
      total.stepCacheHits += c.stepCacheHits;
      total.stepCacheMisses += c.stepCacheMisses;
      total.candidates += c.candidates;
      total.statesExpanded += c.statesExpanded;
      total.statesGenerated += c.statesGenerated;
      total.duplicateStates += c.duplicateStates;
    }
    return total;
  }

 private:
  oneapi::tbb::enumerable_thread_specific<SearchCounters> counters_;
};

}  // namespace tilebeam
