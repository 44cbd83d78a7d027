// From a state to its children: which candidates may come next, and what they cost there.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "engine/candidate_generator.h"
#include "engine/candidate_pool.h"
#include "engine/search_state.h"
#include "engine/step_scorer.h"
#include "engine/suggestions.h"
#include "engine/taker_index.h"

namespace tilebeam {

// A step that a state may take. Bits over the candidate's ops; see SearchNode.
struct Move {
  CandidateId candidate = 0;
  OpBits retained = 0;
  OpBits dropped = 0;
  OpBits restored = 0;
  OpBits remade = 0;  // covered ops
};

struct ExpanderLimits {
  Position window = kMaxWindow;  // ops beyond the watermark that a step may reach
  std::size_t seeds = 4;         // first ops that moves are sought for, per state
  bool retention = true;         // tensors may be retained between steps
  bool recomputation = true;     // covered ops may be made again
};

// Stateless but for references; safe to share between workers.
class Expander {
 public:
  using Stop = std::function<bool()>;

  Expander(StepScorer& scorer, const SearchScope& scope, const CandidatePool& pool,
           const TakerIndex& takers, const OpPrices& prices, const std::vector<double>& opFloors,
           const ExpanderLimits& limits);

  // The state before any step. Ops beyond the scope count as covered, so the scope spans at most
  // kMaxWindow positions or is the whole graph.
  SearchState root() const;

  // What the pool lacks is noted there, if given.
  void noteSuggestions(Suggestions* suggestions) { suggestions_ = suggestions; }

  // Appends the moves of `state`, whose steps so far hang on `nodes`. A state that carries tensors
  // in only takes steps that take all of them, and leave none that is needed after and cannot be
  // made again. Once `stop` says true, some may be left out.
  void findMoves(const SearchState& state, const SearchNodes& nodes, const Stop& stop,
                 std::vector<Move>& moves) const;

  // The step's best form in this state; see StepScorer. The latency is nothing if it is not known.
  const BestStep& score(const SearchState& state, const Move& move) const;
  void scoreIfFirst(const SearchState& state, const Move& move) const;
  std::optional<double> knownLatency(const SearchState& state, const Move& move) const;

  // The state behind `move`, which takes so long; its cost is infinite if the step does not fit.
  SearchState apply(const SearchState& state, const Move& move, double latency) const;

  // A candidate's ops, in topological order.
  std::vector<OpId> opsOf(CandidateId c) const;

  // The covered ops of a candidate, by bit.
  OpBits remadeOps(const SearchState& state, CandidateId c) const;

 private:
  class Covered;

  // How a candidate fits a state.
  struct Fit {
    bool possible = false;  // its ops are open, or may be made again
    OpBits remade = 0;      // covered ops, by bit
    Position missing = -1;  // an uncovered op that it takes from
  };

  Fit fit(const SearchState& state, const SearchNodes& nodes, CandidateId c) const;
  bool wasStored(const SearchState& state, const SearchNodes& nodes, TensorId t) const;
  void suggestRest(const SearchState& state, CandidateId c) const;
  bool mayRemake(const SearchState& state, const SearchNodes& nodes, CandidateId c,
                 OpBits remade) const;
  bool mayRemake(const SearchState& state, CandidateId c, Position covered) const;
  StepKey keyOf(const SearchState& state, const Move& move) const;
  bool usesUp(const SearchState& state, CandidateId c, TensorId t) const;
  template <class Open>
  bool takesForAll(CandidateId c, TensorId t, const Open& isOpen) const;
  void findTakers(const SearchState& state, const SearchNodes& nodes, const Stop& stop,
                  std::vector<Move>& moves) const;
  void addMoves(const SearchState& state, CandidateId c, OpBits remade, const Stop& stop,
                std::vector<Move>& moves) const;
  bool hasTaker(const SearchState& state, const Covered& after, std::span<const Position> producers,
                const Stop& stop) const;
  bool mayFollow(const SearchState& state, const Covered& after, CandidateId next,
                 std::span<const Position> producers) const;
  template <class Open, class Visit>
  void eachHolding(TensorId t, const Open& isOpen, const Visit& visit) const;
  Position firstUncovered(const SearchState& state, Position from) const;
  bool isNeeded(const SearchState& state, TensorId t) const;
  static void drop(SearchState& next, TensorId t);
  void applyOutputs(SearchState& next, const Move& move) const;
  OpId opAt(Position p) const {
    return problem_.graph().topologicalOrder()[static_cast<std::size_t>(p)];
  }

  TensorId outputAt(Position p) const { return problem_.op(opAt(p)).output; }

  StepScorer& scorer_;
  const Problem& problem_;
  const SearchScope& scope_;
  const CandidatePool& pool_;
  const TakerIndex& takers_;
  const OpPrices& prices_;
  const std::vector<double>& opFloors_;
  ExpanderLimits limits_;
  Suggestions* suggestions_ = nullptr;
};

}  // namespace tilebeam
