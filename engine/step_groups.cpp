#include "engine/step_groups.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

namespace tilebeam {
namespace {

template <class T>
void keepDistinct(std::vector<T>& all) {
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
}

}  // namespace

StepGroups::StepGroups(const Problem& problem, const SearchScope& scope,
                       const Neighbours& neighbours)
    : problem_(problem),
      graph_(problem.graph()),
      scope_(scope),
      neighbours_(neighbours),
      groupOf_(static_cast<std::size_t>(scope.end() - scope.begin()), kNone) {}

GroupId StepGroups::add(StepChain steps) {
  const auto id = static_cast<GroupId>(groups_.size());
  StepGroup& group = groups_.emplace_back();
  group.steps = std::move(steps);
  group.latency = latencyOf(group.steps);
  for (const PlannedStep& step : group.steps) {
    group.ops.insert(group.ops.end(), step.ops.begin(), step.ops.end());
  }
  sort(group.ops);
  for (const OpId o : group.ops) groupOf(graph_.position(o)) = id;
  return id;
}

void StepGroups::restore(GroupId g) {
  groups_[g].removed = false;
  for (const OpId o : groups_[g].ops) groupOf(graph_.position(o)) = g;
}

std::vector<GroupId> StepGroups::present() const {
  std::vector<GroupId> found;
  for (GroupId g = 0; g < groups_.size(); ++g) {
    if (!groups_[g].removed) found.push_back(g);
  }
  return found;
}

StepPlace StepGroups::placeOf(OpId o) const {
  const GroupId g = groupOf(graph_.position(o));
  const StepChain& steps = groups_[g].steps;
  std::size_t i = 0;
  while (i + 1 < steps.size() &&
         std::find(steps[i].ops.begin(), steps[i].ops.end(), o) == steps[i].ops.end()) {
    ++i;
  }
  return {g, i};
}

std::vector<StepPlace> StepGroups::placesNextTo(OpId o) const {
  const StepPlace place = placeOf(o);
  std::vector<StepPlace> found;
  for (const Position p : neighbours_.of(graph_.position(o))) {
    const StepPlace next = placeOf(graph_.topologicalOrder()[static_cast<std::size_t>(p)]);
    if (next != place) found.push_back(next);
  }
  keepDistinct(found);
  return found;
}

std::vector<GroupId> StepGroups::neighbours(GroupId g) const {
  std::vector<GroupId> found;
  for (const OpId o : groups_[g].ops) {
    for (const Position p : neighbours_.of(graph_.position(o))) {
      if (groupOf(p) != g) found.push_back(groupOf(p));
    }
  }
  keepDistinct(found);
  return found;
}

// Visits the groups that take from `g`, or that it takes from, some more than once.
template <class Visit>
void StepGroups::eachNext(GroupId g, bool forward, const Visit& visit) const {
  const auto pass = [&](OpId o) {
    const GroupId other = groupOf(graph_.position(o));
    if (other != kNone && other != g) visit(other);
  };
  for (const OpId o : groups_[g].ops) {
    if (forward) {
      const auto takers = graph_.consumers(problem_.op(o).output);
      std::for_each(takers.begin(), takers.end(), pass);
      continue;
    }
    for (const TensorId t : problem_.op(o).inputs) {
      if (graph_.producer(t).valid()) pass(graph_.producer(t));
    }
  }
}

bool StepGroups::feeds(GroupId a, GroupId b) const {
  bool found = false;
  eachNext(a, true, [&](GroupId next) { found = found || next == b; });
  return found;
}

// By group; `from` itself only if it is in a cycle.
std::vector<bool> StepGroups::reached(GroupId from, bool forward) const {
  std::vector<bool> seen(groups_.size(), false);
  std::vector<GroupId> open{from};
  while (!open.empty()) {
    const GroupId g = open.back();
    open.pop_back();
    eachNext(g, forward, [&](GroupId next) {
      if (seen[next]) return;
      seen[next] = true;
      open.push_back(next);
    });
  }
  return seen;
}

std::vector<GroupId> StepGroups::withBetween(GroupId a, GroupId b) const {
  std::vector<GroupId> all{a, b};
  std::vector<bool> after = reached(a, true);
  GroupId last = b;
  if (!after[b]) {
    after = reached(b, true);
    last = a;
  }
  if (after[last]) {
    const std::vector<bool> before = reached(last, false);
    for (GroupId g = 0; g < groups_.size(); ++g) {
      if (after[g] && before[g] && g != a && g != b) all.push_back(g);
    }
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<OpId> StepGroups::opsOf(std::span<const GroupId> groups) const {
  std::vector<OpId> ops;
  for (const GroupId g : groups) {
    ops.insert(ops.end(), groups_[g].ops.begin(), groups_[g].ops.end());
  }
  sort(ops);
  return ops;
}

void StepGroups::sort(std::vector<OpId>& ops) const {
  std::sort(ops.begin(), ops.end(),
            [this](OpId a, OpId b) { return graph_.position(a) < graph_.position(b); });
}

StepChain StepGroups::steps() const {
  std::vector<std::size_t> waitsFor(groups_.size(), 0);
  using Entry = std::pair<Position, GroupId>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  const auto makeReady = [&](GroupId g) {
    ready.emplace(graph_.position(groups_[g].ops.front()), g);
  };
  for (const GroupId g : present()) {
    eachNext(g, true, [&](GroupId next) { ++waitsFor[next]; });
  }
  for (const GroupId g : present()) {
    if (waitsFor[g] == 0) makeReady(g);
  }
  StepChain steps;
  while (!ready.empty()) {
    const GroupId g = ready.top().second;
    ready.pop();
    steps.insert(steps.end(), groups_[g].steps.begin(), groups_[g].steps.end());
    eachNext(g, true, [&](GroupId next) {
      if (--waitsFor[next] == 0) makeReady(next);
    });
  }
  return steps;
}

}  // namespace tilebeam
