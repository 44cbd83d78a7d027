#include "engine/expander.h"

#include <algorithm>
#include <array>

namespace tilebeam {

Expander::Expander(StepScorer& scorer, const CandidatePool& pool, const OpPrices& prices,
                   const std::vector<double>& opFloors, const ExpanderLimits& limits)
    : scorer_(scorer),
      problem_(scorer.problem()),
      pool_(pool),
      prices_(prices),
      opFloors_(opFloors),
      limits_(limits) {}

SearchState Expander::root() const {
  SearchState state;
  for (const double floor : opFloors_) state.floor += floor;
  return state;
}

// All ops are uncovered and within the window.
bool Expander::opsOpen(const SearchState& state, CandidateId c) const {
  for (const Position p : pool_.positions(c)) {
    const Position offset = p - state.watermark;
    if (offset < 0 || offset >= limits_.window || state.window.test(offset)) return false;
  }
  return true;
}

// The position of an uncovered op that the candidate takes from, or -1.
Position Expander::missingProducer(const SearchState& state, CandidateId c) const {
  for (const CandidateExternal& e : pool_.externals(c)) {
    if (e.producer != CandidateExternal::kGraphInput && !state.isCovered(e.producer)) {
      return e.producer;
    }
  }
  return -1;
}

// All takers of `t` beyond its own producer's step are in the candidate.
bool Expander::usesUp(CandidateId c, TensorId t) const {
  const auto positions = pool_.positions(c);
  const auto takers = problem_.graph().consumers(t);
  return takers.size() <= positions.size() &&
         std::all_of(takers.begin(), takers.end(), [&](OpId o) {
           return std::find(positions.begin(), positions.end(), problem_.graph().position(o)) !=
                  positions.end();
         });
}

void Expander::findMoves(const SearchState& state, std::vector<Move>& moves) const {
  const Graph& graph = problem_.graph();
  if (state.residents.count > 0) {
    const TensorId carried = state.residents.tensors[0];
    Position taker = -1;
    for (const OpId o : graph.consumers(carried)) {
      if (!state.isCovered(graph.position(o))) taker = graph.position(o);
    }
    for (const CandidateId c : pool_.holding(taker)) {
      if (!opsOpen(state, c) || missingProducer(state, c) >= 0) continue;
      bool all = true;
      for (std::uint32_t i = 0; all && i < state.residents.count; ++i) {
        const TensorId t = state.residents.tensors[i];
        for (const OpId o : graph.consumers(t)) {
          const auto positions = pool_.positions(c);
          const Position p = graph.position(o);
          all = all && (state.isCovered(p) ||
                        std::find(positions.begin(), positions.end(), p) != positions.end());
        }
      }
      if (all) addMoves(state, c, moves);
    }
    return;
  }

  // The first open op must be covered some time: by a candidate that holds it. Where the best of
  // those wait for other ops, covering these first is the alternative.
  std::array<Position, 16> seeds{state.watermark};
  std::size_t count = 1;
  const std::size_t most = std::min(limits_.seeds, seeds.size());
  for (std::size_t s = 0; s < count; ++s) {
    for (const CandidateId c : pool_.holding(seeds[s])) {
      if (!opsOpen(state, c)) continue;
      const auto positions = pool_.positions(c);
      // A candidate that holds an earlier seed has come up there.
      if (std::any_of(
              seeds.begin(), seeds.begin() + static_cast<std::ptrdiff_t>(s), [&](Position seed) {
                return std::find(positions.begin(), positions.end(), seed) != positions.end();
              })) {
        continue;
      }
      const Position missing = missingProducer(state, c);
      if (missing < 0) {
        addMoves(state, c, moves);
        continue;
      }
      if (count == most) continue;
      const Position first = firstUncovered(state, missing);
      if (first < 0 || std::find(seeds.begin(), seeds.begin() + static_cast<std::ptrdiff_t>(count),
                                 first) != seeds.begin() + static_cast<std::ptrdiff_t>(count)) {
        continue;
      }
      seeds[count++] = first;
    }
  }
}

// Walks back from an uncovered op to one whose inputs are all there.
Position Expander::firstUncovered(const SearchState& state, Position from) const {
  const Graph& graph = problem_.graph();
  const auto order = graph.topologicalOrder();
  Position p = from;
  for (bool moved = true; moved;) {
    moved = false;
    for (const TensorId t : problem_.op(order[static_cast<std::size_t>(p)]).inputs) {
      const OpId producer = graph.producer(t);
      if (!producer.valid() || state.isCovered(graph.position(producer))) continue;
      p = graph.position(producer);
      moved = true;
      break;
    }
  }
  return p - state.watermark < limits_.window ? p : -1;
}

// The candidate with nothing retained, and with one or two of its outputs retained where some step
// can use them up at once.
void Expander::addMoves(const SearchState& state, CandidateId c, std::vector<Move>& moves) const {
  moves.push_back({c, 0});
  const auto outputs = pool_.outputs(c);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::array<TensorId, 1> one{outputs[i].tensor};
    if (!hasTaker(state, c, one)) continue;
    const std::uint32_t bit = std::uint32_t{1} << outputs[i].opIndex;
    moves.push_back({c, bit});
    for (std::size_t j = 0; j < i; ++j) {
      const std::array<TensorId, 2> two{outputs[i].tensor, outputs[j].tensor};
      if (hasTaker(state, c, two))
        moves.push_back({c, bit | std::uint32_t{1} << outputs[j].opIndex});
    }
  }
}

// Whether, once `c` is done, some candidate can take all of `retained` and leave no taker behind.
bool Expander::hasTaker(const SearchState& state, CandidateId c,
                        std::span<const TensorId> retained) const {
  const Graph& graph = problem_.graph();
  const auto own = pool_.positions(c);
  const auto isOwn = [&](Position p) { return std::find(own.begin(), own.end(), p) != own.end(); };
  std::int64_t area = 0;
  for (const TensorId t : retained) area += problem_.tensor(t).area();
  if (area >= problem_.hardware().fastMemoryCapacity) return false;

  Position taker = -1;
  for (const OpId o : graph.consumers(retained[0])) {
    if (!isOwn(graph.position(o))) taker = graph.position(o);
  }
  for (const CandidateId d : pool_.holding(taker)) {
    if (!opsOpen(state, d)) continue;
    const auto next = pool_.positions(d);
    const bool disjoint = std::none_of(next.begin(), next.end(), isOwn);
    if (!disjoint) continue;
    const bool complete = std::all_of(retained.begin(), retained.end(), [&](TensorId t) {
      const auto takers = graph.consumers(t);
      return std::all_of(takers.begin(), takers.end(), [&](OpId o) {
        const Position p = graph.position(o);
        return isOwn(p) || std::find(next.begin(), next.end(), p) != next.end();
      });
    });
    if (!complete) continue;
    const auto externals = pool_.externals(d);
    const bool ready = std::all_of(externals.begin(), externals.end(), [&](const auto& e) {
      return e.producer == CandidateExternal::kGraphInput || isOwn(e.producer) ||
             state.isCovered(e.producer);
    });
    if (ready) return true;
  }
  return false;
}

const BestStep& Expander::score(const SearchState& state, const Move& move) const {
  StepKey key{pool_[move.candidate].shape, {}};
  key.variant.retained = move.retained;
  key.variant.residentArea = state.residents.area;
  if (state.residents.count > 0) {
    const auto externals = pool_.externals(move.candidate);
    for (std::size_t i = 0; i < externals.size() && i < 32; ++i) {
      if (state.residents.contains(externals[i].tensor)) {
        key.variant.residentExternals |= std::uint32_t{1} << i;
      }
    }
  }
  std::array<OpId, kMaxCandidateOps> ops;
  const auto positions = pool_.positions(move.candidate);
  const auto order = problem_.graph().topologicalOrder();
  for (std::size_t i = 0; i < positions.size(); ++i) {
    ops[i] = order[static_cast<std::size_t>(positions[i])];
  }
  return scorer_.score({ops.data(), positions.size()}, key);
}

SearchState Expander::apply(const SearchState& state, const Move& move) const {
  SearchState next = state;
  const bool plain = move.retained == 0 && state.residents.count == 0;
  const double latency = plain ? pool_[move.candidate].latency : score(state, move).latency;
  next.cost += latency;
  next.score += latency;
  next.node = {state.id, move.candidate, move.retained};
  next.id = kNoNode;
  const auto positions = pool_.positions(move.candidate);
  for (const Position p : positions) {
    const auto i = static_cast<std::size_t>(p);
    next.score -= prices_[i];
    next.floor -= opFloors_[i];
    next.hash ^= zobristOp(p);
    next.window.set(p - state.watermark);
  }
  next.covered += static_cast<std::int32_t>(positions.size());
  next.watermark += next.window.advance();
  for (std::uint32_t i = 0; i < state.residents.count; ++i) {
    next.hash ^= zobristResident(state.residents.tensors[i]);
  }
  next.residents = {};
  for (const CandidateOutput& output : pool_.outputs(move.candidate)) {
    if ((move.retained >> output.opIndex & 1U) == 0) continue;
    next.residents.add(output.tensor, problem_.tensor(output.tensor).area());
    next.hash ^= zobristResident(output.tensor);
  }
  return next;
}

}  // namespace tilebeam
