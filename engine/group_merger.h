// What two groups of a regrouping may become together.
#pragma once

#include <tuple>
#include <vector>

#include "engine/neighbours.h"
#include "engine/step_chains.h"
#include "engine/step_groups.h"

namespace tilebeam {

// The best chain in the place of two groups and all that lie between them.
struct GroupMerger {
  GroupId first = 0;
  GroupId second = 0;
  std::vector<GroupId> groups;
  StepChain steps;
  double gain = 0;      // of latency; 0 if there is none
  double priority = 0;  // its gain, or a random share of it

  // Ties by content.
  bool operator<(const GroupMerger& other) const {
    if (priority != other.priority) return priority < other.priority;
    return std::tie(groups, first, second) > std::tie(other.groups, other.first, other.second);
  }
};

// Finds it: all as one step; one step that hands on to the next; the last step of one and the first
// of the other as one; a step that becomes part of another within a chain.
class MergerSearch {
 public:
  // All outlive it. Without `retention` nothing more is handed on.
  MergerSearch(const StepGroups& groups, const StepChains& chains, bool retention, GroupMerger& m)
      : groups_(groups), chains_(chains), retention_(retention), merger_(m) {}

  // Fills in steps and gain of the merger, which has its groups.
  void run();

 private:
  void consider(ChainSketch& sketch);
  void considerUnion();
  void considerLinks(GroupId a, GroupId b);
  void considerJoint(GroupId a, GroupId b);
  void considerAbsorption(GroupId chain, GroupId single);

  const StepGroups& groups_;
  const StepChains& chains_;
  bool retention_;
  GroupMerger& merger_;
  double before_ = 0;  // latency of the groups
};

// Changes that gain no larger share of a latency are none.
inline bool isBetter(double latency, double than) { return latency < than * kWorthwhile; }

}  // namespace tilebeam
