// The search's front door: a problem and options in, the best schedule found out. Writes nothing,
// never exits, installs no signal handler.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "tilebeam/features.h"
#include "tilebeam/lower_bound.h"
#include "tilebeam/problem.h"
#include "tilebeam/schedule.h"
#include "tilebeam/task_trace.h"

namespace tilebeam {

// Every field is echoed in the statistics (a table in the programs lists them).
struct SolverOptions {
  int threads = 0;        // worker threads; 0: all that the machine offers
  double timeLimit = 10;  // seconds of wall time; infinity: none
  std::int64_t maxRounds =
      0;              // rounds of the search; 0: no limit. Makes the work, not the clock, the limit
  int beamWidth = 0;  // states kept per number of covered ops; 0: widens round by round
  int grainSize = 0;  // items per parallel task; 0: chosen by the size of the work
  int tokens = 0;     // work packages in flight; 0: four per thread
  int window = 0;  // ops beyond the first uncovered one that a step may reach, at most 256; 0: 256
  DepthReading depth = DepthReading::kNative;
  FeatureSet without;  // features switched off, for study
  // After a few rounds, search exactly (docs/bounds.md), until the incumbent is proven optimal,
  // time is up, or the graph turns out too large; graphs of at most 64 ops.
  bool prove = false;
};

// Raised from any thread to stop a search early; the solver returns its incumbent.
class CancellationToken {
 public:
  void cancel() noexcept { cancelled_.store(true, std::memory_order_relaxed); }
  bool cancelled() const noexcept { return cancelled_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> cancelled_{false};
};

enum class SolveStatus : std::uint8_t { kOptimal, kRoundLimit, kTimeLimit, kInterrupted };

const char* name(SolveStatus status);  // "optimal", "round-limit", "time-limit", "interrupted"

// One better schedule found.
struct Incumbent {
  double seconds = 0;  // since the start of solve()
  std::int64_t round = 0;
  double latency = 0;
  double bound = 0;
  std::string source;            // the phase that found it
  std::int64_t stepsScored = 0;  // step simulations until then
};

// Sums over all workers.
struct SearchCounters {
  std::int64_t rounds = 0;
  std::int64_t stepsScored = 0;  // step simulations
  std::int64_t stepCacheHits = 0;
  std::int64_t stepCacheMisses = 0;
  std::int64_t candidates = 0;  // subgraphs generated
  std::int64_t statesExpanded = 0;
  std::int64_t statesGenerated = 0;
  std::int64_t duplicateStates = 0;  // generated states that were merged with an equal one
  // Plans that turned out invalid or dearer than the search took them to be; more than 0 is a
  // defect, though the result is never one of them.
  std::int64_t plansRejected = 0;
};

enum class SearchPhase : std::uint8_t {
  kSingleOps,
  kCandidates,
  kBeam,
  kSegments,
  kWindows,
  kRounds,
  kProof
};

// "single ops", "candidates", "beam", "segments", "windows", "rounds", "proof"
const char* name(SearchPhase phase);

// A search at one moment.
struct SearchProgress {
  double seconds = 0;      // since the start of solve()
  std::int64_t round = 0;  // 0: before the first
  SearchPhase phase = SearchPhase::kSingleOps;
  std::int64_t done =
      0;  // of `total`: ops covered by the beam, or segments, windows or rounds done
  std::int64_t total = 0;                                    // 0: not counted in this phase
  double latency = std::numeric_limits<double>::infinity();  // the incumbent's; infinite if none
  double bound = 0;
  SearchCounters counters;  // so far

  // As SolveResult's; infinite without an incumbent.
  double gap() const;
};

struct SolveResult {
  Schedule schedule;                  // valid; steps in order
  std::vector<double> stepLatencies;  // one per step
  double totalLatency = 0;
  double bound = 0;  // proven lower bound
  SolveStatus status = SolveStatus::kTimeLimit;
  double seconds = 0;
  SolverOptions options;  // as used: defaults resolved
  SearchCounters counters;
  std::vector<Incumbent> history;

  // (total - bound) / total; 0 when optimal.
  double gap() const { return relativeGap(totalLatency, bound); }
};

struct SolverCallbacks {
  // Called from the thread that called solve(), with the schedule that is the new incumbent and
  // its steps' latencies.
  std::function<void(const Incumbent&, const Schedule&, const std::vector<double>&)> onIncumbent;

  // Called at once when the bound rises, and otherwise now and then, at least `progressInterval`
  // seconds apart: how often depends on the work being done. From any thread that takes part in the
  // search; never two callbacks at a time.
  std::function<void(const SearchProgress&)> onProgress = {};
  double progressInterval = 0.1;

  // If given, the run's tasks are recorded here; with options.threads = 1 (see task_trace.h).
  TaskTrace* trace = nullptr;
};

struct PricedSchedule {
  Schedule schedule;                  // valid; steps in order
  std::vector<double> stepLatencies;  // one per step
};

// Every op in a step of its own, in the best form for options.depth and options.without: the
// schedule that solve() starts from too. Takes moments and starts no threads, so it can be kept
// before a search begins. None if some op does not fit alone.
std::optional<PricedSchedule> singleOpSchedule(const Problem& problem,
                                               const SolverOptions& options = {});

// Starts from `initial`, if given: a valid schedule, else InputError. Throws InfeasibleError if no
// valid schedule was found: where some op fits at no granularity, naming it. Throws
// InterruptedError if it was cancelled before it had a schedule; as a rule it still takes the time
// to make a first one, which is short.
SolveResult solve(const Problem& problem, const SolverOptions& options = {},
                  const SolverCallbacks& callbacks = {},
                  const CancellationToken* cancellation = nullptr,
                  const Schedule* initial = nullptr);

}  // namespace tilebeam
