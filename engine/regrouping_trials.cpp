#include "engine/regrouping_trials.h"

#include <algorithm>
#include <utility>

#include "engine/group_merger.h"
#include "engine/recorded_tasks.h"

namespace tilebeam {
namespace {

// As long as hardly any trial is for the better, what runs beside one that is is not lost.
constexpr std::size_t kMostLanes = 16;

// In [0, 1).
double fraction(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

}  // namespace

RegroupingTrials::RegroupingTrials(const RegroupingScope& scope, std::vector<StepChain> chains,
                                   TraceRecorder& recorder)
    : scope_(scope), recorder_(recorder) {
  for (const StepChain& chain : chains) latency_ += latencyOf(chain);
  least_ = latency_;
  lanes_.reserve(kMostLanes);
  lanes_.emplace_back(scope, std::move(chains));
}

// Groups that are gone keep their numbers, so that lanes are made anew once most of them are gone.
void RegroupingTrials::setLanes(std::size_t count) {
  const StepGroups& groups = lanes_.front().groups();
  if (groups.size() > 4 * groups.present().size()) {
    Regrouping fresh(scope_, lanes_.front().copy());
    lanes_.clear();
    lanes_.push_back(std::move(fresh));
  }
  while (lanes_.size() > count) lanes_.pop_back();
  while (lanes_.size() < count) lanes_.push_back(lanes_.front());
}

bool RegroupingTrials::run(std::size_t count, std::uint64_t seed) {
  // The way to better steps leads over worse ones: up to this share of a step's latency may be lost
  // in the beginning, and nothing in the end.
  constexpr double kLoss = 0.04;
  const double perStep = latency_ / static_cast<double>(lanes_.front().groups().present().size());
  std::size_t width = 1;
  std::vector<Trial> trials;
  for (std::size_t done = 0; done < count && !scope_.stop(); done += trials.size()) {
    trials.assign(std::min(width, count - done), {});
    setLanes(trials.size());
    const auto seedOf = [&](std::size_t i) { return mix(seed + done + i); };
    sharedOut(recorder_, TraceKind::kWindows, trials.size(),
              [&](std::size_t i) { trials[i] = lanes_[i].attempt(seedOf(i)); });
    const double left = 1 - static_cast<double>(done) / static_cast<double>(count);
    bool any = false;
    for (std::size_t i = 0; i < trials.size(); ++i) {
      const double loss = kLoss * left * perStep * fraction(mix(~seedOf(i)));
      any = accept(trials[i], loss) || any;
    }
    width = any ? std::max<std::size_t>(1, width / 2) : std::min(kMostLanes, 2 * width);
  }
  return !best_.empty();
}

// All lanes go along.
bool RegroupingTrials::accept(const Trial& trial, double loss) {
  if (trial.gain < -loss || !lanes_.front().apply(trial)) return false;
  for (std::size_t i = 1; i < lanes_.size(); ++i) lanes_[i].apply(trial);
  latency_ -= trial.gain;
  if (!isBetter(latency_, least_)) return true;
  least_ = latency_;
  best_ = lanes_.front().copy();
  return true;
}

}  // namespace tilebeam
