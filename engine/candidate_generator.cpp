#include "engine/candidate_generator.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "engine/limits.h"
#include "engine/recorded_tasks.h"
#include "tilebeam/lower_bound.h"
#include "tilebeam/subgraph.h"

namespace tilebeam {
namespace {

// A feasible set of ops in topological order.
struct OpSet {
  std::vector<OpId> ops;
  Candidate candidate;
};

bool better(const OpSet& a, const OpSet& b) {
  return a.candidate.excess != b.candidate.excess ? a.candidate.excess < b.candidate.excess
                                                  : a.ops < b.ops;
}

std::uint64_t hashOf(const std::vector<OpId>& ops) {
  std::uint64_t h = 0;
  for (const OpId o : ops) h += opSetHash(o);
  return h;
}

class SeedGrowth {
 public:
  SeedGrowth(StepScorer& scorer, const SearchScope& scope, const GeneratorLimits& limits,
             const OpPrices& prices, const std::function<bool()>& stop)
      : scorer_(scorer),
        problem_(scorer.problem()),
        graph_(problem_.graph()),
        scope_(scope),
        limits_(limits),
        prices_(prices),
        stop_(stop),
        levels_(limits.maxOps + 1) {}

  // The best few sets of each size that hold `seed`.
  std::vector<OpSet> grow(OpId seed, TraceRecorder& recorder) {
    seed_ = graph_.position(seed);
    consider({{seed}}, recorder);
    if (levels_[1].first.empty()) growUntilFeasible({seed}, recorder);
    std::vector<OpSet> kept;
    for (std::size_t size = 1; size <= limits_.maxOps; ++size) {
      keepBest(levels_[size].first, kept, recorder);
      keepBest(levels_[size].again, kept, recorder);
    }
    return kept;
  }

 private:
  using Sets = std::vector<std::vector<OpId>>;
  enum class Verdict { kFeasible, kBroken, kHopeless };

  // Sets of one size. Those that make some op again cost more for the ops that they cover, so they
  // are compared with their like.
  struct Level {
    std::vector<OpSet> first;
    std::vector<OpSet> again;
  };

  // A set that breaks no rule of structure, and its score.
  struct Proposal {
    std::size_t set;       // of those proposed together
    std::uint32_t remade;  // as Candidate's
    StepKey key;
    const BestStep* best;
  };

  void keepBest(std::vector<OpSet>& sets, std::vector<OpSet>& kept, TraceRecorder& recorder) {
    std::sort(sets.begin(), sets.end(), better);
    if (sets.size() > limits_.keepPerSize) sets.resize(limits_.keepPerSize);
    expand(sets, recorder);
    std::move(sets.begin(), sets.end(), std::back_inserter(kept));
  }

  // All sets of one size together, so that what has to be scored is scored side by side.
  void expand(const std::vector<OpSet>& level, TraceRecorder& recorder) {
    if (level.empty() || level.front().ops.size() >= limits_.maxOps) return;
    Sets larger;
    for (const OpSet& set : level) addLarger(set.ops, larger);
    const std::vector<Verdict> verdicts = consider(larger, recorder);
    // One more op may mend what one alone broke.
    Sets mended;
    for (std::size_t i = 0; i < larger.size(); ++i) {
      if (verdicts[i] == Verdict::kBroken && larger[i].size() < limits_.maxOps) {
        addLarger(larger[i], mended);
      }
    }
    consider(mended, recorder);
  }

  void addLarger(const std::vector<OpId>& ops, Sets& sets) {
    const std::uint64_t hash = hashOf(ops);
    for (const OpId o : neighbours(ops)) {
      if (seen_.insert(hash + opSetHash(o)).second) sets.push_back(with(ops, o));
    }
  }

  // An op that does not fit alone may fit among those that make its inputs on the spot.
  void growUntilFeasible(const std::vector<OpId>& ops, TraceRecorder& recorder) {
    constexpr std::size_t kMostOps = 8;
    constexpr std::size_t kMostSets = 200;
    Sets open{ops};
    for (std::size_t next = 0; next < open.size() && open.size() < kMostSets; ++next) {
      if (open[next].size() >= std::min(kMostOps, limits_.maxOps)) return;
      Sets larger;
      addLarger(open[next], larger);
      const std::vector<Verdict> verdicts = consider(larger, recorder);
      for (std::size_t i = 0; i < larger.size(); ++i) {
        if (verdicts[i] == Verdict::kBroken) open.push_back(std::move(larger[i]));
      }
    }
  }

  // A verdict on each; the feasible ones join their levels. Nothing once `stop` says true.
  std::vector<Verdict> consider(const Sets& sets, TraceRecorder& recorder) {
    std::vector<Verdict> verdicts(sets.size(), Verdict::kHopeless);
    if (sets.empty() || stop_()) return verdicts;
    std::vector<Proposal> proposals;
    for (std::size_t i = 0; i < sets.size(); ++i) {
      std::uint32_t remade = 0;
      verdicts[i] = verdictOnStructure(sets[i], remade);
      if (verdicts[i] != Verdict::kFeasible) continue;
      StepKey key = scorer_.keyOf(sets[i]);
      key.variant.unstored = remade;
      proposals.push_back({i, remade, key, scorer_.known(key)});
    }
    scorer_.counters().local().candidates += static_cast<std::int64_t>(proposals.size());
    score(proposals, sets, recorder);
    for (const Proposal& p : proposals) verdicts[p.set] = take(sets[p.set], p);
    return verdicts;
  }

  Verdict verdictOnStructure(const std::vector<OpId>& ops, std::uint32_t& remade) {
    if (splitsPrologue(ops) || hasForbiddenEdge(ops)) return Verdict::kHopeless;
    if (hasForbiddenOutputs(ops)) return Verdict::kBroken;
    remade = runBefore(ops);
    if (remade == 0) return Verdict::kFeasible;
    const bool tooMany = std::popcount(remade) > kMostRemadeOps;
    return limits_.recomputation && !tooMany ? Verdict::kFeasible : Verdict::kBroken;
  }

  // Those that are not known yet, on all workers: one may take as long as a thousand known ones.
  void score(std::vector<Proposal>& proposals, const Sets& sets, TraceRecorder& recorder) {
    std::vector<Proposal*> unknown;
    for (Proposal& p : proposals) {
      if (p.best == nullptr || (limits_.recomputation && !p.best->feasible())) {
        unknown.push_back(&p);
      }
    }
    sharedOut(recorder, TraceKind::kCandidates, unknown.size(), [&](std::size_t i) {
      if (!stop_()) score(*unknown[i], sets[unknown[i]->set]);
    });
  }

  void score(Proposal& proposal, const std::vector<OpId>& ops) {
    proposal.best = &scorer_.score(ops, proposal.key);
    if (proposal.best->feasible() || !limits_.recomputation) return;
    std::uint32_t& unstored = proposal.key.variant.unstored;
    unstored |= unstorable(ops);
    if (unstored != proposal.remade) proposal.best = &scorer_.score(ops, proposal.key);
  }

  Verdict take(const std::vector<OpId>& ops, const Proposal& proposal) {
    if (proposal.best == nullptr) return Verdict::kHopeless;  // stopped
    if (!proposal.best->feasible()) return Verdict::kBroken;
    Candidate candidate;
    candidate.shape = proposal.key.shape;
    candidate.latency = proposal.best->latency;
    candidate.dropped = proposal.key.variant.unstored & ~proposal.remade;
    candidate.remade = proposal.remade;
    candidate.excess = candidate.latency - priceOf(ops, ~proposal.remade);
    Level& level = levels_[ops.size()];
    (proposal.remade == 0 ? level.first : level.again).push_back({ops, candidate});
    return candidate.dropped == 0 ? Verdict::kFeasible : Verdict::kBroken;
  }

  // Of the ops in `bits`.
  double priceOf(const std::vector<OpId>& ops, std::uint32_t bits) const {
    double price = 0;
    for (const OpId o : ops) {
      if ((bits & 1U) != 0) price += prices_[static_cast<std::size_t>(graph_.position(o))];
      bits >>= 1;
    }
    return price;
  }

  // Internal tensors that are needed outside but are made strip by strip, so cannot be stored.
  std::uint32_t unstorable(const std::vector<OpId>& ops) const {
    const Subgraph subgraph(problem_, ops);
    if (subgraph.violation()) return 0;
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < ops.size(); ++i) {
      const TensorId t = problem_.op(ops[i]).output;
      if (!subgraph.atTilePosition(t) && neededOutside(problem_, t, ops)) {
        bits |= std::uint32_t{1} << i;
      }
    }
    return bits;
  }

  std::vector<OpId> with(const std::vector<OpId>& ops, OpId added) const {
    std::vector<OpId> larger = ops;
    const auto place = std::find_if(larger.begin(), larger.end(), [&](OpId o) {
      return graph_.position(o) > graph_.position(added);
    });
    larger.insert(place, added);
    return larger;
  }

  // A Pointwise that makes a MatMul's operand demands the whole reduction in one tile; where that
  // is beyond native, no larger set mends it.
  bool splitsPrologue(const std::vector<OpId>& ops) const {
    const Hardware& hardware = problem_.hardware();
    const auto madeByPointwise = [&](TensorId t) {
      const OpId producer = graph_.producer(t);
      return producer.valid() && !problem_.op(producer).isMatMul() &&
             std::find(ops.begin(), ops.end(), producer) != ops.end();
    };
    return std::any_of(ops.begin(), ops.end(), [&](OpId o) {
      const Op& op = problem_.op(o);
      if (!op.isMatMul()) return false;
      const std::int64_t reduction = problem_.reduction(o);
      if (reduction <= hardware.nativeDepth()) return false;
      return madeByPointwise(op.inputs[0]) ||
             (reduction > hardware.nativeHeight && madeByPointwise(op.inputs[1]));
    });
  }

  bool isOff(Feature f) const { return limits_.without.contains(f); }

  // Some op takes another's output in a way that is switched off.
  bool hasForbiddenEdge(const std::vector<OpId>& ops) const {
    if (limits_.without.empty()) return false;
    return std::any_of(ops.begin(), ops.end(), [&](OpId o) {
      const Op& op = problem_.op(o);
      return std::any_of(op.inputs.begin(), op.inputs.end(), [&](TensorId t) {
        const OpId producer = graph_.producer(t);
        if (!producer.valid() || std::find(ops.begin(), ops.end(), producer) == ops.end()) {
          return false;
        }
        if (problem_.op(producer).isMatMul()) {
          return isOff(op.isMatMul() ? Feature::kNestedMatMuls : Feature::kEpilogues);
        }
        return isOff(op.isMatMul() ? Feature::kPrologues : Feature::kPointwiseFusion);
      });
    });
  }

  // More sinks than one, or a stored internal tensor, where that is switched off; more ops may mend
  // it.
  bool hasForbiddenOutputs(const std::vector<OpId>& ops) const {
    if (limits_.without.empty()) return false;
    std::size_t sinks = 0;
    bool storedInterior = false;
    for (const OpId o : ops) {
      const TensorId t = problem_.op(o).output;
      const auto takers = graph_.consumers(t);
      const bool internal = std::any_of(takers.begin(), takers.end(), [&](OpId taker) {
        return std::find(ops.begin(), ops.end(), taker) != ops.end();
      });
      if (!internal) ++sinks;
      storedInterior = storedInterior || (internal && neededOutside(problem_, t, ops));
    }
    return (sinks > 1 && isOff(Feature::kSeveralSinks)) ||
           (storedInterior && isOff(Feature::kStoredInteriors));
  }

  // The ops, as bits, from which a path leaves the set and returns to it: one of its inputs waits
  // for their outputs. Those that they take from are among them.
  std::uint32_t runBefore(const std::vector<OpId>& ops) {
    if (ops.size() == 1) return 0;
    const Position first = graph_.position(ops.front());
    walk_.clear();
    visited_.clear();
    std::uint32_t found = 0;
    const auto follow = [&](OpId o, bool inside) {
      for (const TensorId t : problem_.op(o).inputs) {
        const OpId producer = graph_.producer(t);
        if (!producer.valid() || graph_.position(producer) < first) continue;
        const auto place = std::find(ops.begin(), ops.end(), producer);
        const bool member = place != ops.end();
        if (member && inside) continue;
        if (member) found |= std::uint32_t{1} << (place - ops.begin());
        if (visited_.insert(producer.value()).second) walk_.push_back(producer);
      }
    };
    for (const OpId o : ops) follow(o, true);
    while (!walk_.empty() && (found == 0 || limits_.recomputation)) {
      const OpId o = walk_.back();
      walk_.pop_back();
      follow(o, false);
    }
    return found;
  }

  std::vector<OpId> neighbours(const std::vector<OpId>& ops) const {
    std::vector<OpId> found;
    const auto add = [&](OpId o) {
      const Position p = graph_.position(o);
      if (std::abs(p - seed_) >= limits_.window / 2 || !scope_.contains(p)) return;
      if (std::find(ops.begin(), ops.end(), o) != ops.end()) return;
      if (std::find(found.begin(), found.end(), o) == found.end()) found.push_back(o);
    };
    for (const OpId o : ops) {
      const Op& op = problem_.op(o);
      for (const TensorId t : op.inputs) {
        if (graph_.producer(t).valid()) add(graph_.producer(t));
        addNearest(o, t, add);
      }
      addNearest(o, op.output, add);
    }
    return found;
  }

  // The takers of `t` that stand closest to `o`.
  template <class Add>
  void addNearest(OpId o, TensorId t, const Add& add) const {
    const auto takers = graph_.consumers(t);
    if (takers.size() <= limits_.siblings) {
      std::for_each(takers.begin(), takers.end(), add);
      return;
    }
    const auto distance = [&](OpId other) {
      return std::abs(graph_.position(other) - graph_.position(o));
    };
    // Consumers stand in the order of their numbers, which for most graphs is close to topological.
    const auto middle = std::lower_bound(takers.begin(), takers.end(), o);
    const auto radius = static_cast<std::ptrdiff_t>(limits_.siblings);
    const auto begin = middle - std::min(radius, middle - takers.begin());
    const auto end = middle + std::min(radius, takers.end() - middle);
    std::vector<OpId> nearest(begin, end);
    std::sort(nearest.begin(), nearest.end(), [&](OpId a, OpId b) {
      return std::pair(distance(a), a) < std::pair(distance(b), b);
    });
    if (nearest.size() > limits_.siblings) nearest.resize(limits_.siblings);
    std::for_each(nearest.begin(), nearest.end(), add);
  }

  StepScorer& scorer_;
  const Problem& problem_;
  const Graph& graph_;
  const SearchScope& scope_;
  const GeneratorLimits& limits_;
  const OpPrices& prices_;
  const std::function<bool()>& stop_;
  std::vector<Level> levels_;  // by size
  std::unordered_set<std::uint64_t> seen_;
  std::unordered_set<std::int32_t> visited_;
  std::vector<OpId> walk_;
  Position seed_ = 0;
};

}  // namespace

OpPrices singlePrices(StepScorer& scorer, TraceRecorder& recorder) {
  const Problem& problem = scorer.problem();
  const auto order = problem.graph().topologicalOrder();
  OpPrices prices(order.size());
  recordedTasks(recorder, TraceKind::kCandidates, order.size(), [&](std::size_t p) {
    const std::vector<OpId> single{order[p]};
    const BestStep& best = scorer.score(single, scorer.keyOf(single));
    prices[p] = best.feasible() ? best.latency : opComputeBound(problem, order[p], scorer.depth());
  });
  return prices;
}

void sharePrices(const CandidatePool& pool, const OpPrices& singles, OpPrices& prices) {
  std::copy(singles.begin() + pool.begin(), singles.begin() + pool.end(),
            prices.begin() + pool.begin());
  for (CandidateId c = 0; c < pool.size(); ++c) {
    if (pool[c].remade != 0) continue;
    double alone = 0;
    for (const Position p : pool.positions(c)) alone += singles[static_cast<std::size_t>(p)];
    if (alone <= 0) continue;
    const double share = pool[c].latency / alone;
    for (const Position p : pool.positions(c)) {
      const auto i = static_cast<std::size_t>(p);
      prices[i] = std::min(prices[i], singles[i] * share);
    }
  }
}

namespace {

void addAll(CandidatePool& pool, const Problem& problem, const std::vector<const OpSet*>& sets,
            TraceRecorder& recorder) {
  std::vector<CandidateTensors> tensors(sets.size());
  sharedOut(recorder, TraceKind::kCandidates, sets.size(),
            [&](std::size_t i) { tensors[i] = tensorsOf(problem, sets[i]->ops); });
  for (std::size_t i = 0; i < sets.size(); ++i) {
    pool.add(sets[i]->ops, tensors[i], sets[i]->candidate);
  }
}

}  // namespace

CandidatePool generateCandidates(StepScorer& scorer, const SearchScope& scope,
                                 const GeneratorLimits& limits, const OpPrices& prices,
                                 const std::function<bool()>& stop, TraceRecorder& recorder) {
  const auto order = scorer.problem().graph().topologicalOrder();
  std::vector<std::vector<OpSet>> perSeed(static_cast<std::size_t>(scope.end() - scope.begin()));
  recordedChains(recorder, TraceKind::kCandidates, perSeed.size(),
                 [&](std::size_t seed, TraceRecorder& chain) {
                   const Position p = scope.begin() + static_cast<Position>(seed);
                   if (!scope.contains(p) || stop()) return;
                   perSeed[seed] = SeedGrowth(scorer, scope, limits, prices, stop)
                                       .grow(order[static_cast<std::size_t>(p)], chain);
                   chain.serial(TraceKind::kCandidates);
                 });
  std::vector<const OpSet*> distinct;
  std::unordered_set<std::uint64_t> seen;
  for (const auto& sets : perSeed) {
    for (const OpSet& set : sets) {
      if (seen.insert(hashOf(set.ops)).second) distinct.push_back(&set);
    }
  }
  CandidatePool pool(scorer.problem(), scope.begin(), scope.end());
  addAll(pool, scorer.problem(), distinct, recorder);
  recorder.serial(TraceKind::kCandidates);
  return pool;
}

namespace {

// The parts of a set that no tensor connects.
std::vector<std::vector<OpId>> connectedParts(const Problem& problem,
                                              const std::vector<OpId>& ops) {
  const auto touches = [&](OpId o, TensorId t) {
    const Op& op = problem.op(o);
    return op.output == t || std::find(op.inputs.begin(), op.inputs.end(), t) != op.inputs.end();
  };
  const auto connected = [&](OpId a, OpId b) {
    const Op& op = problem.op(a);
    return touches(b, op.output) || std::any_of(op.inputs.begin(), op.inputs.end(),
                                                [&](TensorId t) { return touches(b, t); });
  };
  std::vector<std::vector<OpId>> parts;
  std::vector<bool> placed(ops.size(), false);
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (placed[i]) continue;
    std::vector<std::size_t> part{i};
    placed[i] = true;
    for (std::size_t next = 0; next < part.size(); ++next) {
      for (std::size_t j = 0; j < ops.size(); ++j) {
        if (placed[j] || !connected(ops[part[next]], ops[j])) continue;
        placed[j] = true;
        part.push_back(j);
      }
    }
    std::sort(part.begin(), part.end());
    std::vector<OpId>& found = parts.emplace_back();
    for (const std::size_t j : part) found.push_back(ops[j]);
  }
  return parts;
}

// The sets and parts that are not in the pool yet, each once.
std::vector<std::vector<OpId>> newSets(const CandidatePool& pool, const Problem& problem,
                                       const std::vector<std::vector<OpId>>& sets,
                                       TraceRecorder& recorder) {
  std::vector<std::vector<std::vector<OpId>>> parts(sets.size());
  sharedOut(recorder, TraceKind::kCandidates, sets.size(),
            [&](std::size_t i) { parts[i] = connectedParts(problem, sets[i]); });
  std::vector<std::vector<OpId>> fresh;
  std::unordered_set<std::uint64_t> seen;
  for (auto& partsOfSet : parts) {
    for (auto& part : partsOfSet) {
      const std::uint64_t hash = hashOf(part);
      if (part.size() > 1 && !pool.hasSet(hash) && seen.insert(hash).second) {
        fresh.push_back(std::move(part));
      }
    }
  }
  return fresh;
}

}  // namespace

std::size_t addSuggested(CandidatePool& pool, StepScorer& scorer, const GeneratorLimits& limits,
                         const OpPrices& prices, const std::vector<std::vector<OpId>>& sets,
                         TraceRecorder& recorder) {
  const Problem& problem = scorer.problem();
  const std::vector<std::vector<OpId>> fresh = newSets(pool, problem, sets, recorder);
  std::vector<OpSet> scored(fresh.size());
  sharedOut(recorder, TraceKind::kCandidates, fresh.size(), [&](std::size_t i) {
    const StepKey key = scorer.keyOf(fresh[i]);
    ++scorer.counters().local().candidates;
    scored[i].ops = fresh[i];
    Candidate& candidate = scored[i].candidate;
    candidate.shape = key.shape;
    candidate.latency = candidate.excess = scorer.score(fresh[i], key).latency;
    for (const OpId o : fresh[i]) {
      candidate.excess -= prices[static_cast<std::size_t>(problem.graph().position(o))];
    }
  });
  std::sort(scored.begin(), scored.end(), better);
  std::vector<const OpSet*> added;
  std::unordered_map<std::uint64_t, std::size_t> taken;  // by first op and size
  for (const OpSet& set : scored) {
    if (set.candidate.latency == std::numeric_limits<double>::infinity()) continue;
    const std::uint64_t place =
        static_cast<std::uint64_t>(set.ops.front().value()) * kMaxCandidateOps + set.ops.size();
    if (++taken[place] <= limits.keepPerSize) added.push_back(&set);
  }
  addAll(pool, problem, added, recorder);
  recorder.serial(TraceKind::kCandidates);
  return added.size();
}

}  // namespace tilebeam
