// Counters of the search. Each worker counts for itself, and the sums may be taken at any time.
#pragma once

#include <oneapi/tbb/enumerable_thread_specific.h>

#include <atomic>
#include <deque>
#include <mutex>

#include "tilebeam/solver.h"

namespace tilebeam {

// Raised by one thread, read by any. A plain load and store, since no other thread raises it.
class Count {
 public:
  Count& operator+=(std::int64_t n) noexcept {
    value_.store(value() + n, std::memory_order_relaxed);
    return *this;
  }
  Count& operator++() noexcept { return *this += 1; }
  std::int64_t value() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> value_{0};
};

// The counters of SearchCounters that workers raise. A cache line of its own, or two.
struct alignas(64) WorkerCounts {
  Count stepsScored;
  Count stepCacheHits;
  Count stepCacheMisses;
  Count candidates;
  Count statesExpanded;
  Count statesGenerated;
  Count duplicateStates;
};

class WorkerCounters {
 public:
  WorkerCounters() = default;
  WorkerCounters(const WorkerCounters&) = delete;
  WorkerCounters& operator=(const WorkerCounters&) = delete;

  WorkerCounts& local() { return *local_.local(); }

  // While workers run: what they had counted a moment ago.
  SearchCounters sum() const {
    const std::lock_guard lock(mutex_);
    SearchCounters total;
    for (const WorkerCounts& c : counts_) {
      total.stepsScored += c.stepsScored.value();
      total.stepCacheHits += c.stepCacheHits.value();
      total.stepCacheMisses += c.stepCacheMisses.value();
      total.candidates += c.candidates.value();
      total.statesExpanded += c.statesExpanded.value();
      total.statesGenerated += c.statesGenerated.value();
      total.duplicateStates += c.duplicateStates.value();
    }
    return total;
  }

 private:
  WorkerCounts* addWorker() {
    const std::lock_guard lock(mutex_);
    return &counts_.emplace_back();
  }

  mutable std::mutex mutex_;         // guards the list, not the counts
  std::deque<WorkerCounts> counts_;  // one per worker; they stay where they are
  oneapi::tbb::enumerable_thread_specific<WorkerCounts*> local_{[this] { return addWorker(); }};
};

}  // namespace tilebeam
