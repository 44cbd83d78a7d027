// The states between moves: the first, and what each move makes of one.
#include <algorithm>
#include <limits>

#include "engine/expander.h"

namespace tilebeam {

SearchState Expander::root() const {
  SearchState state;
  state.watermark = scope_.begin();
  state.covered = static_cast<std::int32_t>(problem_.opCount() - scope_.size());
  const bool whole = state.covered == 0;
  for (Position p = scope_.begin(); p < scope_.end(); ++p) {
    if (scope_.contains(p)) {
      state.floor += opFloors_[static_cast<std::size_t>(p)];
    } else if (!whole) {
      state.window.set(p - state.watermark);
    }
  }
  return state;
}

StepKey Expander::keyOf(const SearchState& state, const Move& move) const {
  StepKey key{pool_[move.candidate].shape, {}};
  key.variant.retained = move.retained;
  key.variant.unstored = move.dropped | (move.remade & ~move.restored);
  key.variant.residentArea = state.residentArea;
  if (!state.residents.empty()) {
    const auto externals = pool_.externals(move.candidate);
    for (std::size_t i = 0; i < externals.size() && i < kMaxCandidateExternals; ++i) {
      if (state.residents.contains(externals[i].tensor)) {
        key.variant.residentExternals |= std::uint32_t{1} << i;
      }
    }
  }
  return key;
}

std::vector<OpId> Expander::opsOf(CandidateId c) const {
  std::vector<OpId> ops;
  for (const Position p : pool_.positions(c)) ops.push_back(opAt(p));
  return ops;
}

const BestStep& Expander::score(const SearchState& state, const Move& move) const {
  return scorer_.score(opsOf(move.candidate), keyOf(state, move));
}

void Expander::scoreIfFirst(const SearchState& state, const Move& move) const {
  scorer_.scoreIfFirst(opsOf(move.candidate), keyOf(state, move));
}

std::optional<double> Expander::knownLatency(const SearchState& state, const Move& move) const {
  const Candidate& candidate = pool_[move.candidate];
  const bool plain = move.retained == 0 && move.dropped == candidate.dropped && move.remade == 0 &&
                     state.residents.empty();
  if (plain) return candidate.latency;
  const BestStep* const step = scorer_.known(keyOf(state, move));
  return step != nullptr ? std::optional(step->latency) : std::nullopt;
}

SearchState Expander::apply(const SearchState& state, const Move& move, double latency) const {
  SearchState next = state;
  next.cost += latency;
  next.score += latency;
  next.node = {state.id, move.candidate, move.retained, move.dropped, move.restored};
  next.id = kNoNode;
  for (const Position p : pool_.positions(move.candidate)) {
    if (state.isCovered(p)) continue;
    const auto i = static_cast<std::size_t>(p);
    next.score -= prices_[i];
    next.floor -= opFloors_[i];
    next.hash ^= zobristOp(p);
    next.window.set(p - state.watermark);
    ++next.covered;
  }
  next.watermark += next.window.advance();
  applyOutputs(next, move);
  return next;
}

bool Expander::isNeeded(const SearchState& state, TensorId t) const {
  const auto takers = problem_.graph().consumers(t);
  return std::any_of(takers.begin(), takers.end(),
                     [&](OpId o) { return !state.isCovered(problem_.graph().position(o)); });
}

void Expander::drop(SearchState& next, TensorId t) {
  next.hash ^= zobristDropped(t);
  if (!next.dropped.add(t)) next.cost = std::numeric_limits<double>::infinity();
}

// What is resident, dropped and not taken yet, once the ops are covered.
void Expander::applyOutputs(SearchState& next, const Move& move) const {
  for (const TensorId t : next.residents) {
    next.hash ^= zobristResident(t);
    // It was never stored.
    if (isNeeded(next, t)) drop(next, t);
  }
  next.residents.clear();
  next.residentArea = 0;
  for (const CandidateExternal& e : pool_.externals(move.candidate)) next.untaken.remove(e.tensor);
  for (const CandidateOutput& o : pool_.outputs(move.candidate)) {
    const bool isRemade = (move.remade & o.bit()) != 0;
    if ((move.retained & o.bit()) != 0) {
      next.residents.add(o.tensor);
      next.residentArea += problem_.tensor(o.tensor).area();
      next.hash ^= zobristResident(o.tensor);
    } else if ((move.dropped & o.bit()) != 0) {
      drop(next, o.tensor);
    } else if (o.internal && (!isRemade || (move.restored & o.bit()) != 0)) {
      if (isRemade && next.dropped.remove(o.tensor)) next.hash ^= zobristDropped(o.tensor);
      if (!next.untaken.add(o.tensor)) next.untakenOverflow = true;
    }
  }
  for (const TensorId* t = next.dropped.begin(); t != next.dropped.end();) {
    if (isNeeded(next, *t)) {
      ++t;
      continue;
    }
    next.hash ^= zobristDropped(*t);
    next.dropped.remove(*t);
  }
}

}  // namespace tilebeam
