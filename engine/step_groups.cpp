#include "engine/step_groups.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <queue>
#include <utility>

#include "engine/step_shape.h"

namespace tilebeam {
namespace {

template <class T>
void keepDistinct(std::vector<T>& all) {
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
}

// In a chain of its own, at this place of it.
std::uint64_t hashOf(const PlannedStep& step, std::size_t place, std::uint64_t seed) {
  std::uint64_t set = 0;
  for (const OpId o : step.ops) set += mix(seed + static_cast<std::uint64_t>(o.value()));
  for (const TensorId t : step.retained) set += mix(~seed - static_cast<std::uint64_t>(t.value()));
  const Granularity& g = step.best.granularity;
  std::uint64_t hash = mix(set + place) ^ std::bit_cast<std::uint64_t>(step.best.latency);
  for (const std::int64_t length : {g.width, g.height, g.depth}) {
    hash = mix(hash + static_cast<std::uint64_t>(length));
  }
  const auto corner = (step.best.start.lastRow ? 2U : 0U) + (step.best.start.lastColumn ? 1U : 0U);
  hash = mix(hash + 4 * static_cast<std::uint64_t>(step.best.traversal) + corner);
  for (const std::int64_t tile : step.order) hash = mix(hash + static_cast<std::uint64_t>(tile));
  return hash;
}

ContentHash hashOf(const StepChain& chain) {
  constexpr std::uint64_t kOther = 0x452821e638d01377ULL;
  ContentHash hash;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    hash += {hashOf(chain[i], i, 0), hashOf(chain[i], i, kOther)};
  }
  return {mix(hash.low), mix(hash.high)};
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
  group.hash = hashOf(group.steps);
  for (const PlannedStep& step : group.steps) {
    group.ops.insert(group.ops.end(), step.ops.begin(), step.ops.end());
  }
  sort(group.ops);
  for (const OpId o : group.ops) groupOf(graph_.position(o)) = id;
  link(group);
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

void StepGroups::link(StepGroup& group) const {
  const auto add = [this](PositionSet& set, OpId o) {
    const Position p = graph_.position(o);
    if (scope_.contains(p)) set.add(offsetOf(p));
  };
  for (const OpId o : group.ops) {
    add(group.members, o);
    for (const OpId taker : graph_.consumers(problem_.op(o).output)) add(group.after, taker);
    for (const TensorId t : problem_.op(o).inputs) {
      if (graph_.producer(t).valid()) add(group.before, graph_.producer(t));
    }
  }
  group.before.remove(group.members);
  group.after.remove(group.members);
}

// Visits the groups that run some of these ops, each once.
template <class Visit>
void StepGroups::eachGroupOf(PositionSet ops, const Visit& visit) const {
  while (!ops.empty()) {
    const std::size_t offset = ops.first();
    const GroupId g = groupOf_[offset];
    if (g == kNone) {
      ops.remove(offset);
      continue;
    }
    ops.remove(groups_[g].members);
    visit(g);
  }
}

// All ops of the groups that a path leads to from `from`, by `before` or `after`; its own only if
// it is in a cycle.
PositionSet StepGroups::reached(GroupId from, PositionSet StepGroup::*next) const {
  PositionSet seen;
  for (PositionSet open = groups_[from].*next; !open.empty();) {
    PositionSet further;
    eachGroupOf(open, [&](GroupId g) {
      seen.add(groups_[g].members);
      further.add(groups_[g].*next);
    });
    further.remove(seen);
    open = further;
  }
  return seen;
}

std::vector<GroupId> StepGroups::withBetween(GroupId a, GroupId b) const {
  std::vector<GroupId> all{a, b};
  PositionSet between = reached(a, &StepGroup::after);
  GroupId last = b;
  if (!between.meets(groups_[b].members)) {
    between = reached(b, &StepGroup::after);
    last = a;
  }
  if (between.meets(groups_[last].members)) {
    between.intersect(reached(last, &StepGroup::before));
    eachGroupOf(between, [&](GroupId g) {
      if (g != a && g != b) all.push_back(g);
    });
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
    eachGroupOf(groups_[g].after, [&](GroupId next) { ++waitsFor[next]; });
  }
  for (const GroupId g : present()) {
    if (waitsFor[g] == 0) makeReady(g);
  }
  StepChain steps;
  while (!ready.empty()) {
    const GroupId g = ready.top().second;
    ready.pop();
    steps.insert(steps.end(), groups_[g].steps.begin(), groups_[g].steps.end());
    eachGroupOf(groups_[g].after, [&](GroupId next) {
      if (--waitsFor[next] == 0) makeReady(next);
    });
  }
  return steps;
}

}  // namespace tilebeam
