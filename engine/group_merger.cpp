#include "engine/group_merger.h"

#include <algorithm>
#include <utility>

namespace tilebeam {

void MergerSearch::run() {
  merger_.gain = before_ = 0;
  for (const GroupId g : merger_.groups) before_ += groups_[g].latency;
  considerUnion();
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

void MergerSearch::consider(ChainSketch& sketch) {
  if (!chains_.score(sketch)) return;
  const double latency = sketch.latency();
  if (!isBetter(latency, before_ - merger_.gain)) return;
  merger_.gain = before_ - latency;
  merger_.steps = sketch.chain();
}

void MergerSearch::considerUnion() {
  const StepChain all{{groups_.opsOf(merger_.groups), {}, {}, {}}};
  ChainSketch sketch(all);
  sketch[0].known = nullptr;
  consider(sketch);
}

// One tensor, or two.
void MergerSearch::considerLinks(GroupId a, GroupId b) {
  if (!retention_) return;
  const StepChain& first = groups_[a].steps;
  const StepChain& second = groups_[b].steps;
  const std::vector<TensorId> tensors = chains_.handedOn(first.back().ops, second.front().ops);
  if (tensors.empty()) return;
  ChainSketch sketch(first);
  sketch.append(second);
  const std::size_t last = first.size() - 1;
  sketch[last].known = sketch[last + 1].known = nullptr;
  const auto retaining = [&](const std::vector<TensorId>& retained) {
    sketch[last].retained = &retained;
    consider(sketch);
  };
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    retaining({tensors[i]});
    for (std::size_t j = 0; j < i; ++j) retaining({tensors[j], tensors[i]});
  }
}

void MergerSearch::considerJoint(GroupId a, GroupId b) {
  const StepChain& first = groups_[a].steps;
  const StepChain& second = groups_[b].steps;
  if (first.size() + second.size() == 2) return;
  const std::vector<OpId> joint = chains_.united(first.back().ops, second.front().ops);
  ChainSketch sketch(first);
  sketch.append(second, 1);
  SketchedStep& middle = sketch[first.size() - 1];
  middle = {&joint, &second.front().retained, nullptr, {}};
  if (chains_.holdsTogether(sketch)) consider(sketch);
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
  ChainSketch sketch(chain);
  for (const std::size_t i : steps) {
    const std::vector<OpId> longer = chains_.united(chain[i].ops, groups_[single].ops);
    const SketchedStep before = sketch[i];
    sketch[i] = {&longer, &chain[i].retained, nullptr, {}};
    if (chains_.holdsTogether(sketch)) consider(sketch);
    sketch[i] = before;
  }
}

}  // namespace tilebeam
