// No valid schedule beats the lower bound, and no granularity the bounds that the search prunes by.
#include "tilebeam/lower_bound.h"

#include <gtest/gtest.h>

#include "support/cases.h"
#include "support/evaluations.h"
#include "support/random_schedules.h"

namespace tilebeam::test {
namespace {

constexpr double kRounding = 1 + 1e-12;

TEST(LowerBound, HoldsForRandomSchedules) {
  Random random(77);
  int compared = 0;
  for (int round = 0; round < cases(4000) && !HasFailure(); ++round) {
    const Problem problem =
        random.chance(80) ? randomStepProblem(random) : randomDag(random, random.between(2, 10));
    const std::optional<Schedule> schedule = randomSchedule(problem, random);
    if (!schedule) continue;
    ++compared;
    for (const DepthReading depth : {DepthReading::kNative, DepthReading::kFull}) {
      const Evaluation evaluation = ScheduleEvaluator(problem, {depth}).evaluate(*schedule);
      const LowerBound bound = lowerBound(problem, depth);
      for (const BoundTerm& term : bound.terms) {
        EXPECT_LE(term.value, evaluation.totalLatency * kRounding) << term.name << ", " << round;
        EXPECT_LE(term.value, bound.value);
      }
    }
  }
  EXPECT_GT(compared, cases(2000));
}

TEST(LowerBound, OfAnOpHoldsInEveryStep) {
  Random random(78);
  for (int round = 0; round < cases(4000) && !HasFailure(); ++round) {
    const Problem problem = randomStepProblem(random);
    const Subgraph subgraph(problem, allOps(problem));
    if (subgraph.violation()) continue;
    const StepContext context = randomContext(subgraph, random);
    const Granularity g = randomGranularity(subgraph, random);
    if (checkGranularity(subgraph, g)) continue;
    for (const DepthReading depth : {DepthReading::kNative, DepthReading::kFull}) {
      double bound = 0;
      for (const OpId o : subgraph.ops()) bound += opComputeBound(problem, o, depth);
      const CollapsedSimulator simulator(subgraph, context, depth);
      const StepAccount account = simulator.account(g, TraversalKind::kRaster);
      EXPECT_LE(bound, account.computeTime * kRounding) << round;
    }
  }
}

TEST(LowerBound, ByTileCountsHoldsForEveryGranularity) {
  Random random(79);
  for (int round = 0; round < cases(4000) && !HasFailure(); ++round) {
    const Problem problem = randomStepProblem(random);
    const Subgraph subgraph(problem, allOps(problem));
    if (subgraph.violation()) continue;
    const StepContext context = randomContext(subgraph, random);
    const Granularity g = randomGranularity(subgraph, random);
    if (checkGranularity(subgraph, g)) continue;
    const std::int64_t deepest = std::max<std::int64_t>(1, g.depth) + random.between(0, 3);
    const std::int64_t columns = (subgraph.gridWidth() - 1) / g.width + 1;
    const std::int64_t rows = (subgraph.gridHeight() - 1) / g.height + 1;
    const auto depth = random.chance(50) ? DepthReading::kNative : DepthReading::kFull;
    const CollapsedSimulator simulator(subgraph, context, depth);
    const TileFloors floors = simulator.tileFloors(deepest);
    for (const auto kind : kNamedTraversals) {
      const StepAccount account = simulator.account(g, kind);
      const auto tiles = static_cast<double>(columns * rows);
      EXPECT_LE(floors.work * tiles, account.computeTime * kRounding) << round;
      EXPECT_LE(floors.at(columns, rows), account.cost.latency * kRounding) << round;
    }
  }
}

}  // namespace
}  // namespace tilebeam::test
