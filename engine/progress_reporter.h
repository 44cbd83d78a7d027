// Hands a search's news to the caller's callbacks: incumbents at once, progress now and then.
#pragma once

#include <atomic>
#include <mutex>

#include "tilebeam/solver.h"

namespace tilebeam {

class ProgressReporter {
 public:
  explicit ProgressReporter(const SolverCallbacks& callbacks) : callbacks_(callbacks) {}

  void incumbent(const Incumbent& news, const Schedule& schedule,
                 const std::vector<double>& latencies) {
    if (!callbacks_.onIncumbent) return;
    const std::lock_guard lock(mutex_);
    callbacks_.onIncumbent(news, schedule, latencies);
  }

  // For any worker to call, often: almost always it is one comparison. `make` makes the report.
  template <class Make>
  void tick(double seconds, const Make& make) {
    if (!callbacks_.onProgress || seconds < next_.load(std::memory_order_relaxed)) return;
    const std::unique_lock lock(mutex_, std::try_to_lock);
    // Another worker reports, or has just done so.
    if (!lock || seconds < next_.load(std::memory_order_relaxed)) return;
    report(seconds, make);
  }

  // At once, for news that do not wait.
  template <class Make>
  void now(double seconds, const Make& make) {
    if (!callbacks_.onProgress) return;
    const std::lock_guard lock(mutex_);
    report(seconds, make);
  }

 private:
  template <class Make>
  void report(double seconds, const Make& make) {
    next_.store(seconds + callbacks_.progressInterval, std::memory_order_relaxed);
    callbacks_.onProgress(make());
  }

  const SolverCallbacks& callbacks_;
  std::atomic<double> next_{0};
  std::mutex mutex_;  // one callback at a time
};

}  // namespace tilebeam
