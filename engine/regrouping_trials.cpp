#include "engine/regrouping_trials.h"

#include <algorithm>
#include <utility>

#include "engine/group_merger.h"
#include "engine/recorded_tasks.h"
#include "engine/step_shape.h"

namespace tilebeam {
namespace {

// Those that begin at once know nothing of each other, so that the later ones may be lost.
constexpr std::size_t kMostLanes = 16;

}  // namespace

RegroupingTrials::RegroupingTrials(const RegroupingScope& scope, std::vector<StepChain> chains,
                                   TraceRecorder& recorder)
    : scope_(scope), recorder_(recorder), base_(std::move(chains)), lanes_(kMostLanes) {
  for (const StepChain& chain : base_) latency_ += latencyOf(chain);
  least_ = latency_;
}

bool RegroupingTrials::run(std::size_t count, std::uint64_t seed) {
  // The way to better steps leads over worse ones: up to this share of a step's latency may be lost
  // in the beginning, and nothing in the end.
  constexpr double kLoss = 0.04;
  const double perStep = latency_ / static_cast<double>(base_.size());
  std::size_t width = 1;
  std::vector<Trial> trials;
  for (std::size_t done = 0; done < count && !scope_.stop(); done += trials.size()) {
    trials.assign(std::min(width, count - done), {});
    const auto seedOf = [&](std::size_t i) { return mix(seed + done + i); };
    sharedOut(recorder_, TraceKind::kWindows, trials.size(),
              [&](std::size_t i) { trials[i] = upToDate(lanes_[i]).attempt(seedOf(i)); });
    const double left = 1 - static_cast<double>(done) / static_cast<double>(count);
    bool lost = false;
    for (std::size_t i = 0; i < trials.size(); ++i) {
      const double loss = kLoss * left * perStep * fraction(mix(~seedOf(i)));
      if (trials[i].removed.empty() || trials[i].gain < -loss) continue;
      lost = !accept(trials[i]) || lost;
    }
    width = lost ? std::max<std::size_t>(1, width / 2) : std::min(kMostLanes, 2 * width);
    beginAnew();
  }
  // Each holds a copy of the window's steps.
  sharedOut(recorder_, TraceKind::kWindows, lanes_.size(),
            [&](std::size_t i) { lanes_[i].steps.reset(); });
  return !best_.empty();
}

Regrouping& RegroupingTrials::upToDate(Lane& lane) {
  if (!lane.steps) {
    lane.steps.emplace(scope_, base_);
    lane.applied = 0;
  }
  for (; lane.applied < accepted_.size(); ++lane.applied)
    lane.steps->apply(accepted_[lane.applied]);
  return *lane.steps;
}

// False if another that began at the same time is in its way.
bool RegroupingTrials::accept(Trial& trial) {
  Lane& first = lanes_.front();
  if (!first.steps->apply(trial)) return false;
  latency_ -= trial.gain;
  accepted_.push_back(std::move(trial));
  first.applied = accepted_.size();
  if (isBetter(latency_, least_)) {
    least_ = latency_;
    best_ = first.steps->copy();
  }
  return true;
}

// Groups that are gone keep their numbers; once most of them are gone, the rest is numbered anew.
void RegroupingTrials::beginAnew() {
  const StepGroups& groups = lanes_.front().steps->groups();
  if (groups.size() < 4 * groups.present().size()) return;
  base_ = lanes_.front().steps->copy();
  accepted_.clear();
  for (Lane& lane : lanes_) lane.steps.reset();
}

}  // namespace tilebeam
