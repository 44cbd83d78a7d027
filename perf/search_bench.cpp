// The parts of the search, from the granularity search of one subgraph to a whole solve.
#include <benchmark/benchmark.h>

#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "engine/beam_search.h"
#include "engine/step_optimiser.h"
#include "perf/workload.h"
#include "tilebeam/lower_bound.h"
#include "tilebeam/schedule_evaluator.h"
#include "tilebeam/solver.h"

namespace tilebeam::bench {
namespace {

// items_per_second counts simulator calls, so it stands beside collapsedOnCandidates;
// `subgraphs` counts whole searches per second.
void granularitySearch(benchmark::State& state) {
  const Workload& work = workload();
  StepOptimiser optimiser;
  for (auto _ : state) {
    for (const Candidate& candidate : work.candidates) {
      benchmark::DoNotOptimize(
          optimiser.optimise(candidate.subgraph, candidate.context, DepthReading::kNative));
    }
  }
  const auto searches =
      static_cast<double>(state.iterations()) * static_cast<double>(work.candidates.size());
  state.SetItemsProcessed(optimiser.evaluations());
  state.counters["subgraphs"] = benchmark::Counter(searches, benchmark::Counter::kIsRate);
  state.counters["calls_per_subgraph"] = static_cast<double>(optimiser.evaluations()) / searches;
}
BENCHMARK(granularitySearch)->Unit(benchmark::kMillisecond);

// A problem with all that the search builds on it before its beam runs.
struct Prepared {
  explicit Prepared(const std::string& name)
      : problem(bundled(name)),
        scope(problem.opCount()),
        scorer(problem, DepthReading::kNative),
        prices(singlePrices(scorer)),
        pool(poolOf(scorer, prices)),
        takers(problem, pool) {
    for (const OpId o : problem.graph().topologicalOrder()) {
      floors.push_back(opComputeBound(problem, o, DepthReading::kNative));
    }
    expander =
        std::make_unique<Expander>(scorer, scope, pool, takers, prices, floors, ExpanderLimits{});
  }

  // The states behind the moves of `state`.
  std::vector<SearchState> children(const SearchState& state) const {
    std::vector<Move> moves;
    const auto never = [] { return false; };
    expander->findMoves(state, nodes, never, moves);
    std::vector<SearchState> states;
    for (const Move& move : moves) {
      states.push_back(expander->apply(state, move, expander->score(state, move).latency));
    }
    return states;
  }

  Problem problem;
  SearchScope scope;
  StepScorer scorer;
  OpPrices prices;
  CandidatePool pool;
  TakerIndex takers;
  std::vector<double> floors;
  std::unique_ptr<Expander> expander;
  SearchNodes nodes;  // none: only states one step from the root are expanded
};

constexpr const char* kSampleProblem = "transformer-28";

void candidateGeneration(benchmark::State& state) {
  const Problem problem = bundled(kSampleProblem);
  std::size_t candidates = 0;
  for (auto _ : state) {
    StepScorer scorer(problem, DepthReading::kNative);
    candidates = poolOf(scorer, singlePrices(scorer)).size();
  }
  state.counters["candidates"] = static_cast<double>(candidates);
}
BENCHMARK(candidateGeneration)->Unit(benchmark::kMillisecond)->UseRealTime();

void stepCacheHit(benchmark::State& state) {
  Prepared p(kSampleProblem);
  std::vector<std::vector<OpId>> sets;
  std::vector<StepKey> keys;
  for (CandidateId c = 0; c < p.pool.size(); ++c) {
    auto& ops = sets.emplace_back();
    for (const Position at : p.pool.positions(c)) {
      ops.push_back(p.problem.graph().topologicalOrder()[static_cast<std::size_t>(at)]);
    }
    keys.push_back({p.pool[c].shape, {}});
    keys.back().variant.unstored = p.pool[c].dropped;
    if (p.scorer.score(ops, keys.back()).latency != p.pool[c].latency) {
      state.SkipWithError("the cache does not hold what the pool says");
      return;
    }
  }
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(p.scorer.score(sets[i], keys[i]));
    if (++i == keys.size()) i = 0;
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(stepCacheHit);

// `range` of 8 offers are of states that are there already.
void stateTableOffer(benchmark::State& state) {
  constexpr std::size_t kStates = 4096;
  std::vector<SearchState> states(kStates);
  for (std::size_t i = 0; i < kStates; ++i) {
    const bool again = static_cast<std::int64_t>(i % 8) < state.range(0);
    states[i].hash = mix(again ? i / 64 : i);
    states[i].score = static_cast<double>(mix(i) % 1000);
  }
  for (auto _ : state) {
    StateTable table(kStates);
    for (const SearchState& s : states) benchmark::DoNotOptimize(table.offer(s));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kStates));
}
BENCHMARK(stateTableOffer)->Arg(0)->Arg(6)->Unit(benchmark::kMicrosecond);

// One state: its moves found and applied, their steps being in the cache. items_per_second counts
// children.
void stateExpansion(benchmark::State& state) {
  const Prepared p(kSampleProblem);
  const std::vector<SearchState> first = p.children(p.expander->root());
  if (first.empty() || !(first.front().cost > 0)) {
    state.SkipWithError("the first state has no children");
    return;
  }
  std::int64_t children = 0;
  std::size_t i = 0;
  for (auto _ : state) {
    children += static_cast<std::int64_t>(p.children(first[i++ % first.size()]).size());
  }
  state.SetItemsProcessed(children);
}
BENCHMARK(stateExpansion);

// A whole beam search at a width. An untimed one before it fills the cache.
void beamSearch(benchmark::State& state) {
  Prepared p(kSampleProblem);
  BeamOptions options;
  options.width = static_cast<std::size_t>(state.range(0));
  const auto run = [&] {
    return BeamSearch(p.scorer, p.pool, *p.expander, options).run([] { return false; });
  };
  const std::optional<Plan> plan = run();
  if (!plan || plan->latency < lowerBound(p.problem, DepthReading::kNative).value) {
    state.SkipWithError("no plan, or one below the bound");
    return;
  }
  for (auto _ : state) benchmark::DoNotOptimize(run());
  state.counters["latency"] = plan->latency;
}
BENCHMARK(beamSearch)->Arg(1)->Arg(16)->Arg(128)->Unit(benchmark::kMillisecond)->UseRealTime();

// All of it, with an empty cache: two rounds on `range` threads.
void wholeSolve(benchmark::State& state) {
  const Problem problem = bundled(kSampleProblem);
  SolverOptions options;
  options.timeLimit = std::numeric_limits<double>::infinity();
  options.maxRounds = 2;
  options.threads = static_cast<int>(state.range(0));
  const SolveResult sample = solve(problem, options);
  const Evaluation evaluation = ScheduleEvaluator(problem).evaluate(sample.schedule);
  if (!evaluation.valid() ||
      std::abs(evaluation.totalLatency - sample.totalLatency) > 1e-9 * sample.totalLatency) {
    state.SkipWithError("the evaluator does not agree with the solver");
    return;
  }
  for (auto _ : state) benchmark::DoNotOptimize(solve(problem, options).totalLatency);
  state.counters["latency"] = sample.totalLatency;
}
BENCHMARK(wholeSolve)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace tilebeam::bench
