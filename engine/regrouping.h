// Local search on the steps of one window: two become one, or hand a tensor on, or an op goes over
// from one to another; and trials that take some apart and put them together in another way.
#pragma once

#include <oneapi/tbb/enumerable_thread_specific.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <vector>

#include "engine/forgetful_set.h"
#include "engine/group_merger.h"
#include "engine/recorded_tasks.h"
#include "engine/seed_growth.h"
#include "engine/set_rules.h"
#include "engine/step_chains.h"
#include "engine/step_groups.h"
#include "engine/step_shape.h"
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
  // Changes that were found to gain nothing, each worker's own: most come up many times.
  mutable oneapi::tbb::enumerable_thread_specific<ForgetfulSet> fruitless;
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
  // workers. With a `seed` chance has a say in which mergers come first. True if there was a
  // change.
  bool improve(TraceRecorder& recorder, std::optional<std::uint64_t> seed = std::nullopt);

  // Where both have some of the ops in groups of their own, takes what is better of the two; what
  // would wait for itself stays as it is. `other` covers the same ops. True if anything was taken.
  bool cross(const std::vector<StepChain>& other);

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
  std::vector<std::size_t> partsWith(const std::vector<StepChain>& other) const;
  void score(std::vector<GroupMerger>& proposals, std::priority_queue<GroupMerger>& queue);
  void transferFrom(GroupId from);
  bool transferOne(GroupId& from);
  bool transfer(StepPlace from, OpId o, StepPlace to);
  std::vector<StepChain> stepsAfterTransfer(StepPlace from, OpId o, StepPlace to) const;
  void findSteps(GroupMerger& merger) const;
  std::vector<StepPlace> drawSteps();
  std::vector<StepChain> drawParts(const std::vector<OpId>& ops);
  bool takeApart(const std::vector<StepPlace>& steps);
  bool addRest(const StepChain& chain, std::size_t first, std::size_t last,
               std::vector<StepChain>& pieces) const;
  std::uint64_t draw() { return mix(seed_ + drawn_++); }
  // Below `count`.
  std::size_t draw(std::size_t count) { return static_cast<std::size_t>(draw() % count); }
  bool replace(std::vector<GroupId> removed, std::vector<StepChain> added);
  void undo();
  Trial outcome(GroupId before) const;

  const RegroupingScope& scope_;
  StepGroups groups_;
  std::vector<OpId> ops_;
  std::vector<Change> changes_;
  TraceRecorder* recorder_ = nullptr;  // null: one worker does it all
  bool chance_ = false;                // has a say in which mergers come first
  std::uint64_t seed_ = 0;             // of what is drawn,
  std::uint64_t drawn_ = 0;            // so many numbers until now
};

}  // namespace tilebeam
