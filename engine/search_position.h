// Where a search stands, for those who watch it: written where pieces of work begin and end, a few
// thousand times a second at the most, and read from any thread at any time.
#pragma once

#include <atomic>

#include "tilebeam/solver.h"

namespace tilebeam {

class SearchPosition {
 public:
  // `total` pieces of work are ahead; 0: not counted.
  void enter(SearchPhase phase, std::size_t total = 0) noexcept {
    done_.store(0, std::memory_order_relaxed);
    total_.store(static_cast<std::int64_t>(total), std::memory_order_relaxed);
    phase_.store(phase, std::memory_order_relaxed);
  }
  void reach(std::int64_t done) noexcept { done_.store(done, std::memory_order_relaxed); }
  void advance() noexcept { done_.fetch_add(1, std::memory_order_relaxed); }

  // The three belong together but for a moment when a phase begins.
  SearchPhase phase() const noexcept { return phase_.load(std::memory_order_relaxed); }
  std::int64_t done() const noexcept { return done_.load(std::memory_order_relaxed); }
  std::int64_t total() const noexcept { return total_.load(std::memory_order_relaxed); }

 private:
  std::atomic<SearchPhase> phase_{SearchPhase::kSingleOps};
  std::atomic<std::int64_t> done_{0};
  std::atomic<std::int64_t> total_{0};
};

}  // namespace tilebeam
