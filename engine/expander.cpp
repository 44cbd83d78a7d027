#include "engine/expander.h"

#include <algorithm>
#include <array>
#include <bit>

namespace tilebeam {
namespace {

// Ops of one step that may be made again; more have never paid.
constexpr int kMostRemade = 3;

}  // namespace

Expander::Expander(StepScorer& scorer, const SearchScope& scope, const CandidatePool& pool,
                   const OpPrices& prices, const std::vector<double>& opFloors,
                   const ExpanderLimits& limits)
    : scorer_(scorer),
      problem_(scorer.problem()),
      scope_(scope),
      pool_(pool),
      prices_(prices),
      opFloors_(opFloors),
      limits_(limits) {}

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

std::uint32_t Expander::remadeOps(const SearchState& state, CandidateId c) const {
  std::uint32_t remade = 0;
  std::uint32_t bit = 1;
  for (const Position p : pool_.positions(c)) {
    if (state.isCovered(p)) remade |= bit;
    bit <<= 1;
  }
  return remade;
}

Expander::Fit Expander::fit(const SearchState& state, CandidateId c) const {
  Fit fit;
  const auto positions = pool_.positions(c);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const Position offset = positions[i] - state.watermark;
    if (offset >= limits_.window) return fit;
    if (offset >= 0 && !state.window.test(offset)) continue;
    if (!limits_.recomputation || !mayRemake(state, c, i)) return fit;
    fit.remade |= std::uint32_t{1} << i;
  }
  if (std::popcount(fit.remade) > kMostRemade) return fit;
  for (const CandidateExternal& e : pool_.externals(c)) {
    if (e.producer == CandidateExternal::kGraphInput) continue;
    if (!state.isCovered(e.producer)) {
      fit.missing = e.producer;
    } else if (state.dropped.contains(e.tensor)) {
      return fit;
    }
  }
  fit.possible = true;
  return fit;
}

// Notes the candidate's open ops, if some are covered and the others form no candidate yet.
void Expander::suggestRest(const SearchState& state, CandidateId c) const {
  if (suggestions_ == nullptr) return;
  std::uint64_t hash = 0;
  std::size_t open = 0;
  const auto positions = pool_.positions(c);
  for (const Position p : positions) {
    if (state.isCovered(p)) continue;
    hash += opSetHash(opAt(p));
    ++open;
  }
  if (open < 2 || open == positions.size() || pool_.hasSet(hash) || suggestions_->has(hash)) return;
  std::vector<OpId> ops;
  for (const Position p : positions) {
    if (!state.isCovered(p)) ops.push_back(opAt(p));
  }
  suggestions_->add(hash, std::move(ops));
}

// A covered op is only made again for an op of the same step, and not if its output is resident, or
// in slow memory but not taken from there since: then the step before would not have stored it.
bool Expander::mayRemake(const SearchState& state, CandidateId c, std::size_t opIndex) const {
  const auto positions = pool_.positions(c);
  const TensorId t = problem_.op(opAt(positions[opIndex])).output;
  if (state.residents.contains(t)) return false;
  const auto takers = problem_.graph().consumers(t);
  const bool taken = std::any_of(takers.begin(), takers.end(), [&](OpId o) {
    return pool_.holds(c, problem_.graph().position(o));
  });
  if (!taken) return false;
  return state.dropped.contains(t) || (!state.untakenOverflow && !state.untaken.contains(t));
}

// All open takers of `t` are in the candidate.
bool Expander::usesUp(const SearchState& state, CandidateId c, TensorId t) const {
  const auto takers = problem_.graph().consumers(t);
  return std::all_of(takers.begin(), takers.end(), [&](OpId o) {
    const Position p = problem_.graph().position(o);
    return state.isCovered(p) || pool_.holds(c, p);
  });
}

// An open op beyond `excluded` that takes `t`.
Position Expander::lastOpenTaker(const SearchState& state, CandidateId excluded, TensorId t) const {
  Position last = -1;
  for (const OpId o : problem_.graph().consumers(t)) {
    const Position p = problem_.graph().position(o);
    if (!state.isCovered(p) && !pool_.holds(excluded, p)) last = std::max(last, p);
  }
  return last;
}

void Expander::findMoves(const SearchState& state, std::vector<Move>& moves) const {
  if (!state.residents.empty()) return findTakers(state, moves);

  // The first open op must be covered some time: by a candidate that holds it. Where the best of
  // those wait for other ops, covering these first is the alternative.
  std::array<Position, 16> seeds{state.watermark};
  std::size_t count = 1;
  const std::size_t most = std::min(limits_.seeds, seeds.size());
  for (std::size_t s = 0; s < count; ++s) {
    for (const CandidateId c : pool_.holding(seeds[s])) {
      // A candidate that holds an earlier seed has come up there.
      if (std::any_of(seeds.begin(), seeds.begin() + static_cast<std::ptrdiff_t>(s),
                      [&](Position seed) { return pool_.holds(c, seed); })) {
        continue;
      }
      const Fit f = fit(state, c);
      if (!f.possible || f.remade != 0) suggestRest(state, c);
      if (!f.possible) continue;
      if (f.missing < 0) {
        addMoves(state, c, f.remade, moves);
        continue;
      }
      if (count == most) continue;
      const Position first = firstUncovered(state, f.missing);
      const auto end = seeds.begin() + static_cast<std::ptrdiff_t>(count);
      if (first >= 0 && std::find(seeds.begin(), end, first) == end) seeds[count++] = first;
    }
  }
}

void Expander::findTakers(const SearchState& state, std::vector<Move>& moves) const {
  const Graph& graph = problem_.graph();
  Position taker = -1;
  for (const OpId o : graph.consumers(*state.residents.begin())) {
    if (!state.isCovered(graph.position(o))) taker = graph.position(o);
  }
  for (const CandidateId c : pool_.holding(taker)) {
    const Fit f = fit(state, c);
    if (!f.possible || f.remade != 0) suggestRest(state, c);
    if (!f.possible || f.missing >= 0) continue;
    if (std::all_of(state.residents.begin(), state.residents.end(),
                    [&](TensorId t) { return usesUp(state, c, t); })) {
      addMoves(state, c, f.remade, moves);
    }
  }
}

// Walks back from an uncovered op to one whose inputs are all there.
Position Expander::firstUncovered(const SearchState& state, Position from) const {
  const Graph& graph = problem_.graph();
  Position p = from;
  for (bool moved = true; moved;) {
    moved = false;
    for (const TensorId t : problem_.op(opAt(p)).inputs) {
      const OpId producer = graph.producer(t);
      if (!producer.valid() || state.isCovered(graph.position(producer))) continue;
      p = graph.position(producer);
      moved = true;
      break;
    }
  }
  return p - state.watermark < limits_.window ? p : -1;
}

// The candidate as it is; with internal outputs dropped that can be made again; with one or two
// outputs retained where some step can use them up at once; and each with each.
void Expander::addMoves(const SearchState& state, CandidateId c, std::uint32_t remade,
                        std::vector<Move>& moves) const {
  const auto outputs = pool_.outputs(c);
  Move plain{c, 0, pool_[c].dropped & ~remade, 0};
  const std::size_t first = moves.size();
  moves.push_back(plain);
  for (const CandidateOutput& o : outputs) {
    if ((remade & o.bit()) != 0) {
      // Dropped before and needed after: make it again each time, or store it now.
      if (!o.atTilePosition || !state.dropped.contains(o.tensor) || usesUp(state, c, o.tensor))
        continue;
      Move move = plain;
      move.restored = o.bit();
      moves.push_back(move);
    } else if (limits_.recomputation && o.droppable && (plain.dropped & o.bit()) == 0) {
      Move move = plain;
      move.dropped |= o.bit();
      moves.push_back(move);
    }
  }
  if (!limits_.retention) return;

  const std::size_t unretained = moves.size();
  const auto addRetained = [&](std::uint32_t bits) {
    for (std::size_t m = first; m < unretained; ++m) {
      if ((moves[m].dropped & bits) != 0) continue;
      Move move = moves[m];
      move.retained = bits;
      moves.push_back(move);
    }
  };
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].atTilePosition || (remade & outputs[i].bit()) != 0) continue;
    const std::array<TensorId, 1> one{outputs[i].tensor};
    if (!hasTaker(state, c, one)) continue;
    addRetained(outputs[i].bit());
    for (std::size_t j = 0; j < i; ++j) {
      if (!outputs[j].atTilePosition || (remade & outputs[j].bit()) != 0) continue;
      const std::array<TensorId, 2> two{outputs[i].tensor, outputs[j].tensor};
      if (hasTaker(state, c, two)) addRetained(outputs[i].bit() | outputs[j].bit());
    }
  }
}

// Whether, once `c` is done, some candidate can take all of `retained` and leave no taker behind.
bool Expander::hasTaker(const SearchState& state, CandidateId c,
                        std::span<const TensorId> retained) const {
  const Graph& graph = problem_.graph();
  std::int64_t area = 0;
  for (const TensorId t : retained) area += problem_.tensor(t).area();
  if (area >= problem_.hardware().fastMemoryCapacity) return false;

  const auto done = [&](Position p) { return state.isCovered(p) || pool_.holds(c, p); };
  const Position taker = lastOpenTaker(state, c, retained[0]);
  if (taker < 0) return false;
  for (const CandidateId d : pool_.holding(taker)) {
    const auto next = pool_.positions(d);
    if (next.back() - state.watermark >= limits_.window) continue;
    if (!limits_.recomputation && std::any_of(next.begin(), next.end(), done)) continue;
    const bool complete = std::all_of(retained.begin(), retained.end(), [&](TensorId t) {
      const auto takers = graph.consumers(t);
      return !pool_.holds(d, graph.position(graph.producer(t))) &&
             std::all_of(takers.begin(), takers.end(), [&](OpId o) {
               const Position p = graph.position(o);
               return scope_.contains(p) && (pool_.holds(d, p) || done(p));
             });
    });
    if (!complete) continue;
    const auto externals = pool_.externals(d);
    const bool ready = std::all_of(externals.begin(), externals.end(), [&](const auto& e) {
      return e.producer == CandidateExternal::kGraphInput ||
             (done(e.producer) && !state.dropped.contains(e.tensor));
    });
    if (ready) return true;
  }
  return false;
}

const BestStep& Expander::score(const SearchState& state, const Move& move) const {
  StepKey key{pool_[move.candidate].shape, {}};
  key.variant.retained = move.retained;
  key.variant.unstored = move.dropped | (remadeOps(state, move.candidate) & ~move.restored);
  key.variant.residentArea = state.residentArea;
  if (!state.residents.empty()) {
    const auto externals = pool_.externals(move.candidate);
    for (std::size_t i = 0; i < externals.size() && i < kMaxCandidateExternals; ++i) {
      if (state.residents.contains(externals[i].tensor)) {
        key.variant.residentExternals |= std::uint32_t{1} << i;
      }
    }
  }
  std::array<OpId, kMaxCandidateOps> ops;
  const auto positions = pool_.positions(move.candidate);
  for (std::size_t i = 0; i < positions.size(); ++i) ops[i] = opAt(positions[i]);
  return scorer_.score({ops.data(), positions.size()}, key);
}

SearchState Expander::apply(const SearchState& state, const Move& move) const {
  SearchState next = state;
  const Candidate& candidate = pool_[move.candidate];
  const std::uint32_t remade = remadeOps(state, move.candidate);
  const bool plain = move.retained == 0 && move.dropped == candidate.dropped && remade == 0 &&
                     state.residents.empty();
  const double latency = plain ? candidate.latency : score(state, move).latency;
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
  applyOutputs(next, move, remade);
  return next;
}

bool Expander::isNeeded(const SearchState& state, TensorId t) const {
  const auto takers = problem_.graph().consumers(t);
  return std::any_of(takers.begin(), takers.end(),
                     [&](OpId o) { return !state.isCovered(problem_.graph().position(o)); });
}

// What is resident, dropped and not taken yet, once the ops are covered.
void Expander::applyOutputs(SearchState& next, const Move& move, std::uint32_t remade) const {
  for (const TensorId t : next.residents) next.hash ^= zobristResident(t);
  next.residents.clear();
  next.residentArea = 0;
  for (const CandidateExternal& e : pool_.externals(move.candidate)) next.untaken.remove(e.tensor);
  for (const CandidateOutput& o : pool_.outputs(move.candidate)) {
    const bool isRemade = (remade & o.bit()) != 0;
    if ((move.retained & o.bit()) != 0) {
      next.residents.add(o.tensor);
      next.residentArea += problem_.tensor(o.tensor).area();
      next.hash ^= zobristResident(o.tensor);
    } else if ((move.dropped & o.bit()) != 0) {
      next.hash ^= zobristDropped(o.tensor);
      if (!next.dropped.add(o.tensor)) next.cost = std::numeric_limits<double>::infinity();
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
