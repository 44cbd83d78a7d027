// What a run was made of: which parts took how long, and which had to wait for which. From the
// record of a run on one thread follows what the same work would take on any number of workers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilebeam {

enum class TraceKind : std::uint8_t {
  kCandidates,  // growing candidates, a task per seed
  kExpansion,   // expanding a beam, a task per package of states
  kReduction,   // choosing a beam's states and pruning tables
  kWindows,     // segments and windows, a chain for each
  kRounds,      // rounds side by side, a chain for each
  kOther        // all that belongs to none of these
};
inline constexpr std::size_t kTraceKindCount = 6;

const char* name(TraceKind kind);  // "candidates", "expansion", "reduction", "windows", "rounds",
                                   // "other"

struct TracePhase;

// Phases in sequence: each begins when the one before has ended.
struct TaskTrace {
  std::vector<TracePhase> phases;

  double work() const;  // seconds of all tasks together
};

// One thread at work alone; then tasks that may run at the same time.
struct TracePhase {
  TraceKind kind = TraceKind::kOther;
  double serial = 0;              // seconds
  std::vector<double> tasks;      // seconds of each
  std::vector<TaskTrace> chains;  // tasks that have phases of their own

  double work() const;
};

// The seconds that the work takes on `workers` virtual workers, at least one: a task that is ready
// starts as soon as a worker is free, deeper ones first, then in the order of the trace. Workers
// cost nothing to wake up and do not slow each other down.
double replay(const TaskTrace& trace, std::size_t workers);

// Why more workers do not help for ever. The longest chain is what unlimited workers would take.
struct TraceLimits {
  double work = 0;
  double longestChain = 0;
  std::array<double, kTraceKindCount> serial{};  // of the longest chain: no task runs beside it
  std::array<double, kTraceKindCount> tasks{};   // of the longest chain: the longest of its phase

  double maxSpeedup() const { return longestChain > 0 ? work / longestChain : 1; }
};
TraceLimits limitsOf(const TaskTrace& trace);

}  // namespace tilebeam
