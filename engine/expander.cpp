#include "engine/expander.h"

#include <algorithm>
#include <array>
#include <bit>

namespace tilebeam {

// The ops that are covered once a candidate's are.
class Expander::Covered {
 public:
  Covered(const SearchState& state, std::span<const Position> positions)
      : watermark_(state.watermark), window_(state.window) {
    for (const Position p : positions) {
      if (p >= watermark_) window_.set(p - watermark_);
    }
  }

  Position watermark() const { return watermark_; }
  bool contains(Position p) const {
    return p < watermark_ || (p - watermark_ < kMaxWindow && window_.test(p - watermark_));
  }

 private:
  Position watermark_;
  CoveredWindow window_;
};

Expander::Expander(StepScorer& scorer, const SearchScope& scope, const CandidatePool& pool,
                   const TakerIndex& takers, const OpPrices& prices,
                   const std::vector<double>& opFloors, const ExpanderLimits& limits)
    : scorer_(scorer),
      problem_(scorer.problem()),
      scope_(scope),
      pool_(pool),
      takers_(takers),
      prices_(prices),
      opFloors_(opFloors),
      limits_(limits) {}

OpBits Expander::remadeOps(const SearchState& state, CandidateId c) const {
  OpBits remade = 0;
  OpBits bit = 1;
  for (const Position p : pool_.positions(c)) {
    if (state.isCovered(p)) remade |= bit;
    bit <<= 1;
  }
  return remade;
}

Expander::Fit Expander::fit(const SearchState& state, const SearchNodes& nodes,
                            CandidateId c) const {
  Fit fit;
  const auto positions = pool_.positions(c);
  if (positions.back() - state.watermark >= limits_.window) return fit;
  fit.remade = remadeOps(state, c);
  if (fit.remade != 0 && (!limits_.recomputation || std::popcount(fit.remade) > kMostRemadeOps)) {
    return fit;
  }
  for (const CandidateExternal& e : pool_.externals(c)) {
    if (e.producer == CandidateExternal::kGraphInput) continue;
    if (!state.isCovered(e.producer)) {
      fit.missing = e.producer;
    } else if (state.dropped.contains(e.tensor)) {
      return fit;
    }
  }
  fit.possible = fit.remade == 0 || mayRemake(state, nodes, c, fit.remade);
  return fit;
}

// Covered ops are only made again for ops of the same step, and from what is there.
bool Expander::mayRemake(const SearchState& state, const SearchNodes& nodes, CandidateId c,
                         OpBits remade) const {
  const auto positions = pool_.positions(c);
  for (OpBits rest = remade; rest != 0; rest &= rest - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(rest));
    if (!mayRemake(state, c, positions[i])) return false;
  }
  const auto externals = pool_.externals(c);
  return std::all_of(externals.begin(), externals.end(), [&](const CandidateExternal& e) {
    return e.producer == CandidateExternal::kGraphInput || !state.isCovered(e.producer) ||
           isNeeded(state, e.tensor) || wasStored(state, nodes, e.tensor);
  });
}

// Whether a covered op's output is in slow memory. States keep track only of those that open ops
// take; others count where an op that is made again takes them. The step that first ran the op
// stored its output, unless it was internal and not wanted, dropped or retained; later ones did if
// it is among the restored.
bool Expander::wasStored(const SearchState& state, const SearchNodes& nodes, TensorId t) const {
  const Position producer = problem_.graph().position(problem_.graph().producer(t));
  bool stored = false;
  for (SearchNode node = state.node;; node = nodes[node.parent]) {
    if (pool_.holds(node.candidate, producer)) {
      const auto positions = pool_.positions(node.candidate);
      const auto place = std::find(positions.begin(), positions.end(), producer);
      const OpBits bit = opBit(static_cast<std::size_t>(place - positions.begin()));
      if ((node.restored & bit) != 0) return true;
      const auto outputs = pool_.outputs(node.candidate);
      stored = ((node.retained | node.dropped) & bit) == 0 &&
               std::any_of(outputs.begin(), outputs.end(),
                           [t](const CandidateOutput& o) { return o.tensor == t; });
    }
    if (node.parent == kRootNode) return stored;
  }
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
  suggestions_->add(hash, ops);
}

// Not if its output is resident, or in slow memory but not taken from there since: then the step
// before would not have stored it.
bool Expander::mayRemake(const SearchState& state, CandidateId c, Position covered) const {
  const TensorId t = problem_.op(opAt(covered)).output;
  if (state.residents.contains(t)) return false;
  if (!state.dropped.contains(t) && (state.untakenOverflow || state.untaken.contains(t))) {
    return false;
  }
  const auto takers = problem_.graph().consumers(t);
  return std::any_of(takers.begin(), takers.end(),
                     [&](OpId o) { return pool_.holds(c, problem_.graph().position(o)); });
}

// All open takers of `t` are in the candidate.
bool Expander::usesUp(const SearchState& state, CandidateId c, TensorId t) const {
  const auto takers = problem_.graph().consumers(t);
  return std::all_of(takers.begin(), takers.end(), [&](OpId o) {
    const Position p = problem_.graph().position(o);
    return state.isCovered(p) || pool_.holds(c, p);
  });
}

// The candidate takes `t`, and each open taker beyond it can make `t` again.
template <class Open>
bool Expander::takesForAll(CandidateId c, TensorId t, const Open& isOpen) const {
  bool taken = false;
  for (const OpId o : problem_.graph().consumers(t)) {
    const Position p = problem_.graph().position(o);
    if (!isOpen(p)) continue;
    if (pool_.holds(c, p)) {
      taken = true;
    } else if (!limits_.recomputation || !pool_.canRemake(t, p)) {
      return false;
    }
  }
  return taken;
}

// Visits the candidates that hold an open taker of `t`. Where nothing can be made again, a
// candidate is to hold all of them, so that one of them will do.
template <class Open, class Visit>
void Expander::eachHolding(TensorId t, const Open& isOpen, const Visit& visit) const {
  const Graph& graph = problem_.graph();
  std::array<Position, 16> earlier{};
  std::size_t count = 0;
  const auto takers = graph.consumers(t);
  for (auto it = takers.rbegin(); it != takers.rend(); ++it) {
    const Position taker = graph.position(*it);
    if (!isOpen(taker)) continue;
    const auto known = std::span(earlier).first(count);
    for (const CandidateId c : pool_.holding(taker)) {
      const auto heldBy = [&](Position p) { return pool_.holds(c, p); };
      if (std::none_of(known.begin(), known.end(), heldBy)) visit(c);
    }
    if (!limits_.recomputation || count == earlier.size()) return;
    earlier[count++] = taker;
  }
}

void Expander::findMoves(const SearchState& state, const SearchNodes& nodes, const Stop& stop,
                         std::vector<Move>& moves) const {
  if (!state.residents.empty()) return findTakers(state, nodes, stop, moves);

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
      const Fit f = fit(state, nodes, c);
      if (!f.possible || f.remade != 0) suggestRest(state, c);
      if (!f.possible) continue;
      if (f.missing < 0) {
        addMoves(state, c, f.remade, stop, moves);
        continue;
      }
      if (count == most) continue;
      const Position first = firstUncovered(state, f.missing);
      const auto end = seeds.begin() + static_cast<std::ptrdiff_t>(count);
      if (first >= 0 && std::find(seeds.begin(), end, first) == end) seeds[count++] = first;
    }
  }
}

void Expander::findTakers(const SearchState& state, const SearchNodes& nodes, const Stop& stop,
                          std::vector<Move>& moves) const {
  const auto isOpen = [&](Position p) { return !state.isCovered(p); };
  eachHolding(*state.residents.begin(), isOpen, [&](CandidateId c) {
    const Fit f = fit(state, nodes, c);
    if (!f.possible || f.remade != 0) suggestRest(state, c);
    if (!f.possible || f.missing >= 0) return;
    if (std::all_of(state.residents.begin(), state.residents.end(),
                    [&](TensorId t) { return takesForAll(c, t, isOpen); })) {
      addMoves(state, c, f.remade, stop, moves);
    }
  });
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
void Expander::addMoves(const SearchState& state, CandidateId c, OpBits remade, const Stop& stop,
                        std::vector<Move>& moves) const {
  const auto outputs = pool_.outputs(c);
  Move plain{c, 0, pool_[c].dropped & ~remade, 0, remade};
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
  const auto addRetained = [&](OpBits bits) {
    for (std::size_t m = first; m < unretained; ++m) {
      if ((moves[m].dropped & bits) != 0) continue;
      Move move = moves[m];
      move.retained = bits;
      moves.push_back(move);
    }
  };
  const auto positions = pool_.positions(c);
  const Covered after(state, positions);
  OpBits takable = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].atTilePosition || (remade & outputs[i].bit()) != 0) continue;
    const std::array<Position, 1> one{positions[outputs[i].opIndex]};
    if (!hasTaker(state, after, one, stop)) continue;
    addRetained(outputs[i].bit());
    // What takes two takes each of them.
    for (std::size_t j = 0; j < i; ++j) {
      if ((takable & outputs[j].bit()) == 0) continue;
      const std::array<Position, 2> two{one[0], positions[outputs[j].opIndex]};
      if (hasTaker(state, after, two, stop)) addRetained(outputs[i].bit() | outputs[j].bit());
    }
    takable |= outputs[i].bit();
  }
}

// Whether some candidate can take all outputs of `producers` at once after a step that makes them.
bool Expander::hasTaker(const SearchState& state, const Covered& after,
                        std::span<const Position> producers, const Stop& stop) const {
  std::int64_t area = state.residentArea;
  for (const Position p : producers) area += problem_.tensor(outputAt(p)).area();
  if (area >= problem_.hardware().fastMemoryCapacity) return false;
  const auto inScope = [&](OpId o) { return scope_.contains(problem_.graph().position(o)); };
  for (const Position p : producers) {
    const auto takers = problem_.graph().consumers(outputAt(p));
    if (!std::all_of(takers.begin(), takers.end(), inScope)) return false;
  }
  constexpr std::size_t kMany = 128;  // of which to ask them all takes some time
  const auto candidates = takers_.of(producers);
  if (candidates.size() > kMany && stop()) return false;
  return std::any_of(candidates.begin(), candidates.end(),
                     [&](CandidateId next) { return mayFollow(state, after, next, producers); });
}

bool Expander::mayFollow(const SearchState& state, const Covered& after, CandidateId next,
                         std::span<const Position> producers) const {
  const auto isOpen = [&](Position p) { return !after.contains(p); };
  const auto positions = pool_.positions(next);
  if (positions.back() - after.watermark() >= limits_.window) return false;
  if (!limits_.recomputation && !std::all_of(positions.begin(), positions.end(), isOpen)) {
    return false;
  }
  const auto externals = pool_.externals(next);
  return std::all_of(externals.begin(), externals.end(),
                     [&](const CandidateExternal& e) {
                       return e.producer == CandidateExternal::kGraphInput ||
                              (after.contains(e.producer) && !state.dropped.contains(e.tensor));
                     }) &&
         std::all_of(producers.begin(), producers.end(),
                     [&](Position p) { return takesForAll(next, outputAt(p), isOpen); });
}

}  // namespace tilebeam
