// What one step's cost takes to compute. items_per_second counts steps.
#include <benchmark/benchmark.h>

#include <cmath>

#include "perf/workload.h"

namespace tilebeam::bench {
namespace {

// A MatMul with a nested MatMul for its LHS and a Pointwise after it; `tiles` by `tiles` tiles.
struct Sample {
  explicit Sample(std::int64_t tiles)
      : problem({{512, 128 * tiles},
                 {256, 512},
                 {256, 128 * tiles},
                 {128 * tiles, 256},
                 {128 * tiles, 128 * tiles},
                 {128 * tiles, 128 * tiles}},
                {{OpType::kMatMul, 900, {TensorId(0), TensorId(1)}, TensorId(2)},
                 {OpType::kMatMul, 900, {TensorId(2), TensorId(3)}, TensorId(4)},
                 {OpType::kPointwise, 100, {TensorId(4)}, TensorId(5)}},
                {std::int64_t{1} << 30, 20, 128, 128}),
        subgraph(problem, {OpId(0), OpId(1), OpId(2)}),
        context{{}, {TensorId(5)}, {}} {}

  Problem problem;
  Subgraph subgraph;
  StepContext context;
  Granularity granularity{128, 128, 64};
};

void literalSimulator(benchmark::State& state) {
  const Sample s(state.range(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(simulateLiteral(s.subgraph, s.granularity,
                                             {TraversalKind::kRowSnake, {}}, s.context,
                                             DepthReading::kNative));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(literalSimulator)->RangeMultiplier(4)->Range(1, 16);

void collapsedSimulator(benchmark::State& state) {
  const Sample s(state.range(0));
  const CollapsedSimulator simulator(s.subgraph, s.context, DepthReading::kNative);
  const double literal = simulateLiteral(s.subgraph, s.granularity, {TraversalKind::kRowSnake, {}},
                                         s.context, DepthReading::kNative)
                             .cost.latency;
  const double collapsed = simulator.cost(s.granularity, TraversalKind::kRowSnake).latency;
  if (std::abs(collapsed - literal) > 1e-9 * literal) {
    state.SkipWithError("the simulators disagree");
    return;
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(simulator.cost(s.granularity, TraversalKind::kRowSnake));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(collapsedSimulator)->RangeMultiplier(4)->Range(1, 16);

// The mean over all candidates of the bundled problems at all their granularities.
void collapsedOnCandidates(benchmark::State& state) {
  const Workload& work = workload();
  const std::string disagreement = work.disagreement();
  if (!disagreement.empty()) {
    state.SkipWithError(disagreement.c_str());
    return;
  }
  std::int64_t steps = 0;
  for (auto _ : state) {
    for (const Candidate& candidate : work.candidates) {
      for (const Granularity& g : candidate.granularities) {
        benchmark::DoNotOptimize(candidate.simulator.cost(g, TraversalKind::kRowSnake));
        benchmark::DoNotOptimize(candidate.simulator.cost(g, TraversalKind::kColumnSnake));
        steps += 2;
      }
    }
  }
  state.SetItemsProcessed(steps);
  state.counters["candidates"] = static_cast<double>(work.candidates.size());
}
BENCHMARK(collapsedOnCandidates)->Unit(benchmark::kMillisecond);

// What a subgraph in its context costs before its first granularity is scored.
void simulatorSetup(benchmark::State& state) {
  const Workload& work = workload();
  std::size_t i = 0;
  for (auto _ : state) {
    const Candidate& candidate = work.candidates[i++ % work.candidates.size()];
    benchmark::DoNotOptimize(
        CollapsedSimulator(candidate.subgraph, candidate.context, DepthReading::kNative));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(simulatorSetup);

}  // namespace
}  // namespace tilebeam::bench
