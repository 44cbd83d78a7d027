#include "engine/trace_recorder.h"

#include <numeric>

namespace tilebeam {

void TraceRecorder::endTasks() {
  if (trace_ == nullptr) return;
  TracePhase& phase = trace_->phases.back();
  const double seconds = clock_.lap();
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
