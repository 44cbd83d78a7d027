#include "engine/trace_recorder.h"

#include <ctime>

namespace tilebeam {
namespace {

thread_local double paused = 0;  // seconds

double read(clockid_t clock) {
  std::timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

// The clock of the thread costs as much to read as a small task takes. The wall's is cheap, and as
// good for the short while in which the thread can hardly have lost its core.
double TraceClock::now() {
  constexpr double kShortWhile = 5e-5;
  thread_local double lastWall = 0;
  thread_local double lastThread = 0;
  const double wall = read(CLOCK_MONOTONIC);
  if (wall - lastWall >= kShortWhile) {
    lastThread = read(CLOCK_THREAD_CPUTIME_ID);
    lastWall = wall;
  }
  return lastThread + (wall - lastWall) - paused;
}

TraceClock::Pause::~Pause() { paused += now() - begin_; }

void TraceRecorder::endTasks() {
  if (trace_ == nullptr) return;
  TracePhase& phase = trace_->phases.back();
  const double seconds = clock_.lap();
  const TraceClock::Pause pause;
  const std::size_t count = phase.tasks.size() + phase.chains.size();
  if (count == 0) {
    phase.serial += seconds;
    return;
  }
  const double share = (seconds - (phase.work() - phase.serial)) / static_cast<double>(count);
  if (share <= 0) return;
  for (double& task : phase.tasks) task += share;
  for (TaskTrace& chain : phase.chains) chain.phases.push_back({TraceKind::kOther, share, {}, {}});
}

}  // namespace tilebeam
