// Parallel work that a trace can record.
#pragma once

#include <oneapi/tbb/parallel_for.h>

#include "engine/trace_recorder.h"

namespace tilebeam {

// Calls `visit` for each number below `count`, on all workers.
template <class Visit>
void recordedTasks(TraceRecorder& recorder, TraceKind kind, std::size_t count, const Visit& visit) {
  TracePhase* const phase = recorder.beginTasks(kind, count);
  oneapi::tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) {
    const TaskTimer timer(phase, i);
    visit(i);
  });
  recorder.endTasks();
}

// The same, but a single task is done in the course of what is serial.
template <class Visit>
void sharedOut(TraceRecorder& recorder, TraceKind kind, std::size_t count, const Visit& visit) {
  if (count > 1) return recordedTasks(recorder, kind, count, visit);
  if (count == 1) visit(std::size_t{0});
}

// The same for tasks that have phases of their own: `visit` also gets a recorder for them.
template <class Visit>
void recordedChains(TraceRecorder& recorder, TraceKind kind, std::size_t count,
                    const Visit& visit) {
  TracePhase* const phase = recorder.beginTasks(kind, 0, count);
  oneapi::tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) {
    TraceRecorder chain(traceOf(phase, i));
    visit(i, chain);
  });
  recorder.endTasks();
}

}  // namespace tilebeam
