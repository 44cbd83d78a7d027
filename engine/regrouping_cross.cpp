#include <algorithm>
#include <numeric>

#include "engine/regrouping.h"

namespace tilebeam {

// By group: the least group that it hangs together with, by groups of either.
std::vector<std::size_t> Regrouping::partsWith(const std::vector<StepChain>& other) const {
  std::vector<std::size_t> least(groups_.size());
  std::iota(least.begin(), least.end(), std::size_t{0});
  const auto find = [&](std::size_t g) {
    while (least[g] != g) g = least[g] = least[least[g]];
    return g;
  };
  for (const StepChain& chain : other) {
    std::size_t part = find(groups_.placeOf(chain.front().ops.front()).group);
    for (const PlannedStep& step : chain) {
      for (const OpId o : step.ops) {
        const std::size_t next = find(groups_.placeOf(o).group);
        least[std::max(part, next)] = std::min(part, next);
        part = std::min(part, next);
      }
    }
  }
  for (std::size_t g = 0; g < least.size(); ++g) least[g] = find(g);
  return least;
}

bool Regrouping::cross(const std::vector<StepChain>& other) {
  const std::vector<std::size_t> parts = partsWith(other);
  std::vector<Trial> trials(groups_.size());
  std::vector<double> latencies(groups_.size(), 0);
  for (const GroupId g : groups_.present()) {
    trials[parts[g]].removed.push_back(g);
    latencies[parts[g]] += groups_[g].latency;
  }
  for (const StepChain& chain : other) {
    Trial& trial = trials[parts[groups_.placeOf(chain.front().ops.front()).group]];
    trial.added.push_back(chain);
    trial.gain -= latencyOf(chain);
  }
  bool any = false;
  for (std::size_t part = 0; part < trials.size(); ++part) {
    const double latency = -trials[part].gain;
    trials[part].gain += latencies[part];
    if (isBetter(latency, latencies[part])) any = apply(trials[part]) || any;
  }
  return any;
}

}  // namespace tilebeam
