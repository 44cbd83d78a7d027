#include "engine/candidate_generator.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "engine/limits.h"
#include "engine/recorded_tasks.h"
#include "engine/seed_growth.h"
#include "tilebeam/lower_bound.h"

namespace tilebeam {

OpPrices singlePrices(StepScorer& scorer, TraceRecorder& recorder) {
  const Problem& problem = scorer.problem();
  const auto order = problem.graph().topologicalOrder();
  OpPrices prices(order.size());
  recordedTasks(recorder, TraceKind::kCandidates, order.size(), [&](std::size_t p) {
    const std::vector<OpId> single{order[p]};
    scorer.scoreIfFirst(single, scorer.keyOf(single));
  });
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
  const ScopeGraph graph(scorer.problem(), scope, limits);
  recorder.serial(TraceKind::kCandidates);
  std::vector<std::vector<OpSet>> perSeed(static_cast<std::size_t>(scope.end() - scope.begin()));
  recordedChains(recorder, TraceKind::kCandidates, perSeed.size(),
                 [&](std::size_t seed, TraceRecorder& chain) {
                   const Position p = scope.begin() + static_cast<Position>(seed);
                   if (!scope.contains(p) || stop()) return;
                   perSeed[seed] = growSeed(scorer, graph, limits, prices, stop,
                                            order[static_cast<std::size_t>(p)], chain);
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
std::vector<std::vector<OpId>> connectedParts(const Problem& problem, std::span<const OpId> ops) {
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

struct HashedSet {
  std::uint64_t hash;
  std::vector<OpId> ops;
};

// Some of what one worker met.
struct SuggestedRun {
  const SuggestedSets* sets;
  std::size_t first;
  std::size_t last;
};

std::vector<SuggestedRun> runsOf(const std::vector<SuggestedSets>& sets) {
  constexpr std::size_t kSetsPerRun = 32;
  std::vector<SuggestedRun> runs;
  for (const SuggestedSets& met : sets) {
    for (std::size_t first = 0; first < met.size(); first += kSetsPerRun) {
      runs.push_back({&met, first, std::min(first + kSetsPerRun, met.size())});
    }
  }
  return runs;
}

// The connected parts of the run's sets that are not in the pool yet, each once.
std::vector<HashedSet> newParts(const CandidatePool& pool, const Problem& problem,
                                const SuggestedRun& run) {
  std::vector<HashedSet> parts;
  for (std::size_t set = run.first; set < run.last; ++set) {
    for (std::vector<OpId>& part : connectedParts(problem, (*run.sets)[set])) {
      if (part.size() < 2) continue;
      const std::uint64_t hash = hashOf(part);
      const auto isIt = [hash](const HashedSet& known) { return known.hash == hash; };
      if (pool.hasSet(hash) || std::any_of(parts.begin(), parts.end(), isIt)) continue;
      parts.push_back({hash, std::move(part)});
    }
  }
  return parts;
}

// Each once, in an order that hangs on that of `sets`.
std::vector<std::vector<OpId>> newSets(const CandidatePool& pool, const Problem& problem,
                                       const std::vector<SuggestedSets>& sets,
                                       TraceRecorder& recorder) {
  constexpr std::size_t kMostShards = 16;
  const std::vector<SuggestedRun> runs = runsOf(sets);
  std::vector<std::vector<HashedSet>> parts(runs.size());
  sharedOut(recorder, TraceKind::kCandidates, runs.size(),
            [&](std::size_t i) { parts[i] = newParts(pool, problem, runs[i]); });
  const std::size_t shards = std::clamp<std::size_t>(runs.size() / kMostShards, 1, kMostShards);
  std::vector<std::vector<std::vector<OpId>>> fresh(shards);
  sharedOut(recorder, TraceKind::kCandidates, shards, [&](std::size_t shard) {
    std::unordered_set<std::uint64_t> seen;
    for (auto& some : parts) {
      for (HashedSet& part : some) {
        if (part.hash % shards != shard || !seen.insert(part.hash).second) continue;
        fresh[shard].push_back(std::move(part.ops));
      }
    }
  });
  std::vector<std::vector<OpId>> all = std::move(fresh.front());
  for (std::size_t shard = 1; shard < shards; ++shard) {
    std::move(fresh[shard].begin(), fresh[shard].end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace

std::size_t addSuggested(CandidatePool& pool, StepScorer& scorer, const GeneratorLimits& limits,
                         const OpPrices& prices, const std::vector<SuggestedSets>& sets,
                         const std::function<bool()>& stop, TraceRecorder& recorder) {
  const Problem& problem = scorer.problem();
  const std::vector<std::vector<OpId>> fresh = newSets(pool, problem, sets, recorder);
  std::vector<OpSet> scored(fresh.size());
  sharedOut(recorder, TraceKind::kCandidates, fresh.size(), [&](std::size_t i) {
    if (stop()) return;
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
  if (stop()) return 0;
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
