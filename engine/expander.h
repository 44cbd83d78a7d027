// From a state to its children: which candidates may come next, and what they cost there.
#pragma once

#include <vector>

#include "engine/candidate_generator.h"
#include "engine/candidate_pool.h"
#include "engine/search_state.h"
#include "engine/step_scorer.h"

namespace tilebeam {

// A step that a state may take.
struct Move {
  CandidateId candidate = 0;
  std::uint32_t retained = 0;  // bits over the candidate's ops
};

struct ExpanderLimits {
  Position window = kMaxWindow;  // ops beyond the watermark that a step may reach
  std::size_t seeds = 4;         // first ops that moves are sought for, per state
};

// Stateless but for references; safe to share between workers.
class Expander {
 public:
  Expander(StepScorer& scorer, const CandidatePool& pool, const OpPrices& prices,
           const std::vector<double>& opFloors, const ExpanderLimits& limits);

  SearchState root() const;

  // Appends the moves of `state`. A state that carries tensors in only takes steps that use them
  // up.
  void findMoves(const SearchState& state, std::vector<Move>& moves) const;

  // The state behind `move`; its cost is infinite if the step does not fit.
  SearchState apply(const SearchState& state, const Move& move) const;

  // The step's best form in this state.
  const BestStep& score(const SearchState& state, const Move& move) const;

 private:
  bool opsOpen(const SearchState& state, CandidateId c) const;
  Position missingProducer(const SearchState& state, CandidateId c) const;
  bool usesUp(CandidateId c, TensorId t) const;
  void addMoves(const SearchState& state, CandidateId c, std::vector<Move>& moves) const;
  bool hasTaker(const SearchState& state, CandidateId c, std::span<const TensorId> retained) const;
  Position firstUncovered(const SearchState& state, Position from) const;

  StepScorer& scorer_;
  const Problem& problem_;
  const CandidatePool& pool_;
  const OpPrices& prices_;
  const std::vector<double>& opFloors_;
  ExpanderLimits limits_;
};

}  // namespace tilebeam
