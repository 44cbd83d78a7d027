#include "engine/group_merger.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tilebeam {

void MergerSearch::run() {
  merger_.gain = before_ = 0;
  for (const GroupId g : merger_.groups) before_ += groups_[g].latency;
  const std::array<std::size_t, 1> whole{0};
  consider({{groups_.opsOf(merger_.groups), {}, {}, {}}}, whole);
  if (merger_.groups.size() > 2) return;
  GroupId a = merger_.first;
  GroupId b = merger_.second;
  if (groups_.feeds(b, a)) std::swap(a, b);
  considerJoint(a, b);
  if (groups_.feeds(a, b)) {
    considerLinks(a, b);
  } else {
    considerJoint(b, a);
  }
  considerAbsorption(a, b);
  considerAbsorption(b, a);
}

void MergerSearch::consider(StepChain chain, std::span<const std::size_t> altered) {
  for (const std::size_t i : altered) {
    if (!chains_.rescore(chain, i)) return;
  }
  const double latency = latencyOf(chain);
  if (!isBetter(latency, before_ - merger_.gain)) return;
  merger_.gain = before_ - latency;
  merger_.steps = std::move(chain);
}

// One tensor, or two.
void MergerSearch::considerLinks(GroupId a, GroupId b) {
  if (!retention_) return;
  const StepChain& second = groups_[b].steps;
  StepChain chain = groups_[a].steps;
  const std::size_t last = chain.size() - 1;
  const std::vector<TensorId> tensors = chains_.handedOn(chain[last].ops, second.front().ops);
  chain.insert(chain.end(), second.begin(), second.end());
  const std::array<std::size_t, 2> altered{last, last + 1};
  const auto retaining = [&](std::vector<TensorId> retained) {
    chain[last].retained = std::move(retained);
    consider(chain, altered);
  };
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    retaining({tensors[i]});
    for (std::size_t j = 0; j < i; ++j) retaining({tensors[j], tensors[i]});
  }
}

void MergerSearch::considerJoint(GroupId a, GroupId b) {
  const StepChain& second = groups_[b].steps;
  StepChain chain = groups_[a].steps;
  if (chain.size() + second.size() == 2) return;
  const std::array<std::size_t, 1> altered{chain.size() - 1};
  chain.back().ops = chains_.united(chain.back().ops, second.front().ops);
  chain.back().retained = second.front().retained;
  chain.insert(chain.end(), second.begin() + 1, second.end());
  if (chains_.holdsTogether(chain)) consider(std::move(chain), altered);
}

void MergerSearch::considerAbsorption(GroupId chainGroup, GroupId single) {
  const StepChain& chain = groups_[chainGroup].steps;
  if (chain.size() == 1 || groups_[single].steps.size() > 1) return;
  std::vector<std::size_t> steps;
  for (const OpId o : groups_[single].ops) {
    for (const StepPlace& next : groups_.placesNextTo(o)) {
      if (next.group == chainGroup) steps.push_back(next.step);
    }
  }
  std::sort(steps.begin(), steps.end());
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  for (const std::size_t i : steps) {
    StepChain longer = chain;
    longer[i].ops = chains_.united(chain[i].ops, groups_[single].ops);
    const std::array<std::size_t, 1> altered{i};
    if (chains_.holdsTogether(longer)) consider(std::move(longer), altered);
  }
}

}  // namespace tilebeam
