// Local search on the steps of one window: two become one, or hand a tensor on, or an op goes over
// from one to another; and trials that take some apart and put them together in another way.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "engine/recorded_tasks.h"
#include "engine/seed_growth.h"
#include "engine/set_rules.h"
#include "engine/step_chains.h"
#include "engine/step_groups.h"
#include "tilebeam/features.h"

namespace tilebeam {

// What all regroupings of a window look up.
struct RegroupingScope {
  // All outlive it. No step will make use of a feature in `without`.
  RegroupingScope(StepScorer& scorer, const SearchScope& scope, const FeatureSet& without,
                  const std::function<bool()>& stop);
  RegroupingScope(const RegroupingScope&) = delete;
  RegroupingScope& operator=(const RegroupingScope&) = delete;

  const Problem& problem;
  GeneratorLimits limits;
  ScopeGraph graph;
  SetRules rules;
  StepChains chains;
  const std::function<bool()>& stop;
};

// What a trial has come to: chains in the place of some groups.
struct Trial {
  std::vector<GroupId> removed;  // none: it came to nothing, or to what was there
  std::vector<StepChain> added;
  double gain = 0;  // of latency; below 0 if it is a loss
};

class Regrouping {
 public:
  Regrouping(const RegroupingScope& scope, std::vector<StepChain> chains);

  const StepGroups& groups() const { return groups_; }
  std::vector<StepChain> copy() const;

  // Until no change is for the better. Changes that are looked at together are scored by all
  // workers. True if there was one.
  bool improve(TraceRecorder& recorder);

  // Takes up to three neighbouring steps apart, drawn by `seed`, improves what has come of them,
  // and leaves everything as it was. Done by one worker.
  Trial attempt(std::uint64_t seed);

  // False, and nothing is changed, if what the trial removes is no longer there, or if groups would
  // wait for each other. Regroupings that have gone through the same calls number groups alike.
  bool apply(const Trial& trial);

 private:
  struct Change {
    std::vector<GroupId> removed;
    std::vector<GroupId> added;
  };

  void merge(const std::vector<GroupId>& around);
  void transferFrom(GroupId from);
  bool transferOne(GroupId& from);
  bool transfer(StepPlace from, OpId o, StepPlace to);
  std::vector<StepPlace> drawSteps();
  std::vector<StepChain> drawParts(const std::vector<OpId>& ops);
  bool takeApart(const std::vector<StepPlace>& steps);
  bool addRest(const StepChain& chain, std::size_t first, std::size_t last,
               std::vector<StepChain>& pieces) const;
  // Below `count`.
  std::size_t draw(std::size_t count) {
    return static_cast<std::size_t>(mix(seed_ + drawn_++) % count);
  }
  bool replace(std::vector<GroupId> removed, std::vector<StepChain> added);
  void undo();
  Trial outcome(GroupId before) const;

  const RegroupingScope& scope_;
  StepGroups groups_;
  std::vector<OpId> ops_;
  std::vector<Change> changes_;
  TraceRecorder* recorder_ = nullptr;  // null: one worker does it all
  std::uint64_t seed_ = 0;             // of the attempt,
  std::uint64_t drawn_ = 0;            // which has drawn so many numbers
};

}  // namespace tilebeam
