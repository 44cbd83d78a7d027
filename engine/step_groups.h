// A window of a plan as groups of ops, each a step or a chain of steps, to be regrouped by local
// changes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/forgetful_set.h"
#include "engine/neighbours.h"
#include "engine/plan.h"
#include "engine/position_set.h"
#include "engine/search_scope.h"
#include "engine/step_chains.h"
#include "tilebeam/problem.h"

namespace tilebeam {

using GroupId = std::uint32_t;

// A step, or several that hand tensors on and so stay together.
struct StepGroup {
  std::vector<OpId> ops;  // in topological order
  StepChain steps;
  double latency = 0;
  ContentHash hash;  // of the steps in all that counts
  bool removed = false;
  PositionSet members;  // its ops
  PositionSet before;   // ops of the scope that it takes from, members left out
  PositionSet after;    // and that take from it
};

// A step of a group.
struct StepPlace {
  GroupId group = 0;
  std::size_t step = 0;

  friend auto operator<=>(const StepPlace&, const StepPlace&) = default;
};

class StepGroups {
 public:
  // All three outlive it. The scope's ops stand within kMaxWindow positions.
  StepGroups(const Problem& problem, const SearchScope& scope, const Neighbours& neighbours);

  // What other groups hold of these ops is to be removed.
  GroupId add(StepChain steps);
  void remove(GroupId g) { groups_[g].removed = true; }
  // Once all that has been added in its place is removed.
  void restore(GroupId g);
  // Groups from this one on, all removed, are as if they had never been.
  void forgetFrom(GroupId first) { groups_.resize(first); }

  std::size_t size() const { return groups_.size(); }  // with those removed
  const StepGroup& operator[](GroupId g) const { return groups_[g]; }
  std::vector<GroupId> present() const;

  // The step that runs `o`, and those next to it: that run ops which share a tensor with `o`.
  StepPlace placeOf(OpId o) const;
  std::vector<StepPlace> placesNextTo(OpId o) const;
  const PlannedStep& at(const StepPlace& place) const {
    return groups_[place.group].steps[place.step];
  }

  // Other groups that share a tensor with the group.
  std::vector<GroupId> neighbours(GroupId g) const;

  // Whether `b` takes what `a` makes.
  bool feeds(GroupId a, GroupId b) const { return groups_[a].after.meets(groups_[b].members); }

  // The two and all that a path between them touches: merged without, they would wait for what
  // waits for them.
  std::vector<GroupId> withBetween(GroupId a, GroupId b) const;

  // Whether some path leads from the group out and back.
  bool inCycle(GroupId g) const { return reached(g, &StepGroup::after).meets(groups_[g].members); }

  // Of several groups, in topological order.
  std::vector<OpId> opsOf(std::span<const GroupId> groups) const;
  void sort(std::vector<OpId>& ops) const;

  // The steps, no group before one that it takes from; of those that could be next, the one with
  // the earliest op.
  StepChain steps() const;

 private:
  static constexpr GroupId kNone = ~GroupId{0};

  GroupId& groupOf(Position p) { return groupOf_[offsetOf(p)]; }
  GroupId groupOf(Position p) const { return scope_.contains(p) ? groupOf_[offsetOf(p)] : kNone; }
  std::size_t offsetOf(Position p) const { return static_cast<std::size_t>(p - scope_.begin()); }
  void link(StepGroup& group) const;
  template <class Visit>
  void eachGroupOf(PositionSet ops, const Visit& visit) const;
  PositionSet reached(GroupId from, PositionSet StepGroup::*next) const;

  const Problem& problem_;
  const Graph& graph_;
  const SearchScope& scope_;
  const Neighbours& neighbours_;
  std::vector<GroupId> groupOf_;  // by offset
  std::vector<StepGroup> groups_;
};

}  // namespace tilebeam
