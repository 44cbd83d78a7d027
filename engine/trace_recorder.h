// Fills a TaskTrace while the search runs. Every task writes to a place of its own, made ready by
// the thread that starts the tasks; so nothing is locked and the order is that of the work.
//
// A trace is meant to be taken on one thread: on more, a task's seconds include what others do to
// it, and those of tasks that its worker took up while it waited.
#pragma once

#include <algorithm>
#include <optional>

#include "tilebeam/task_trace.h"

namespace tilebeam {

// Seconds that the calling thread has computed since the clock was made or last read. Not of wall
// time: other programs' work on the same cores is none of ours. Nor is what it takes to keep the
// trace, which grows with the trace.
class TraceClock {
 public:
  double lap() {
    const double before = last_;
    last_ = now();
    return std::max(last_ - before, 0.0);
  }

  // While one lives, no clock of the thread goes on. They do not nest.
  class Pause {
   public:
    Pause() : begin_(now()) {}
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;
    ~Pause();

   private:
    double begin_;
  };

 private:
  static double now();

  double last_ = now();
};

// Measures one task, from here to the end of the block. Without a phase it does nothing.
class TaskTimer {
 public:
  TaskTimer(TracePhase* phase, std::size_t task)
      : seconds_(phase != nullptr ? &phase->tasks[task] : nullptr) {
    if (seconds_ != nullptr) clock_.emplace();
  }
  TaskTimer(const TaskTimer&) = delete;
  TaskTimer& operator=(const TaskTimer&) = delete;
  ~TaskTimer() {
    if (seconds_ != nullptr) *seconds_ += clock_->lap();
  }

 private:
  double* seconds_;
  std::optional<TraceClock> clock_;
};

// Follows the thread that goes through the phases of a trace, from its making to its end. Without
// a trace it does nothing.
class TraceRecorder {
 public:
  explicit TraceRecorder(TaskTrace* trace) : trace_(trace) {}
  TraceRecorder(const TraceRecorder&) = delete;
  TraceRecorder& operator=(const TraceRecorder&) = delete;

  // One that records nothing, for any number of threads.
  static TraceRecorder& none() {
    static TraceRecorder recorder(nullptr);
    return recorder;
  }

  ~TraceRecorder() { serial(TraceKind::kOther); }

  // What has been done since the last call was done alone, for this.
  void serial(TraceKind kind) {
    if (trace_ != nullptr) trace_->phases.push_back({kind, clock_.lap(), {}, {}});
  }

  // Now tasks begin, some of them chains with recorders of their own; the phase to measure them in,
  // null if nothing is recorded.
  TracePhase* beginTasks(TraceKind kind, std::size_t tasks, std::size_t chains = 0) {
    if (trace_ == nullptr) return nullptr;
    serial(kind);
    const TraceClock::Pause pause;
    TracePhase& phase = trace_->phases.back();
    phase.tasks.resize(tasks);
    phase.chains.resize(chains);
    return &phase;
  }

  // The tasks of the last phase have ended. What it took to start and join them is shared out among
  // them, for that is how it grows.
  void endTasks();

 private:
  TaskTrace* trace_;
  TraceClock clock_;
};

// Where the recorder of a chain is to write.
inline TaskTrace* traceOf(TracePhase* phase, std::size_t chain) {
  return phase != nullptr ? &phase->chains[chain] : nullptr;
}

}  // namespace tilebeam
