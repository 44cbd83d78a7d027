// Steps that follow one another at once and hand tensors on: when they may, and what they cost.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "engine/chain_sketch.h"
#include "engine/set_rules.h"
#include "engine/step_scorer.h"

namespace tilebeam {

// Sets of ops are in topological order throughout.
class StepChains {
 public:
  // All outlive it. Once `stop` says true, nothing fits any more.
  StepChains(StepScorer& scorer, const SetRules& rules, const std::function<bool()>& stop)
      : scorer_(scorer), graph_(scorer.problem().graph()), rules_(rules), stop_(stop) {}

  // A step on its own; infeasible if the set breaks a rule or is too large.
  BestStep score(const std::vector<OpId>& ops) const { return score(ops, {}, {}); }

  // Scores one step of a chain in its place. False if it does not fit.
  bool rescore(StepChain& chain, std::size_t step) const;

  // The same for all steps of a sketch that are not known.
  bool score(ChainSketch& sketch) const;

  // Whether no step takes from a later one, and all that a step retains is taken by the next and
  // by none beyond.
  bool holdsTogether(const ChainSketch& sketch) const;

  // What one step could hand on to another: what it makes for the two of them alone.
  std::vector<TensorId> handedOn(const std::vector<OpId>& from, const std::vector<OpId>& to) const;

  std::vector<OpId> united(const std::vector<OpId>& a, const std::vector<OpId>& b) const;

 private:
  BestStep score(const std::vector<OpId>& ops, std::span<const TensorId> resident,
                 std::span<const TensorId> retained) const;
  bool isHandedOn(TensorId t, const std::vector<OpId>& from, const std::vector<OpId>& to) const;

  StepScorer& scorer_;
  const Graph& graph_;
  const SetRules& rules_;
  const std::function<bool()>& stop_;
};

}  // namespace tilebeam
