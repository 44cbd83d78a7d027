// Sizes at the limits of a problem and steps of thousands of ops: the default simulator answers at
// once, and nothing overflows. Expected values follow from the cost model by hand.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>

#include "support/problem_builder.h"
#include "tilebeam/schedule_evaluator.h"
#include "tilebeam/step_bound.h"
#include "tilebeam/step_simulator.h"
#include "tilebeam/step_walk.h"

namespace tilebeam::test {
namespace {

class Robustness : public testing::Test {
 protected:
  // Checks the time, too; generous enough for a loaded machine with sanitizers.
  Evaluation evaluate(const Problem& problem, const std::vector<Step>& steps) {
    const auto start = std::chrono::steady_clock::now();
    Evaluation evaluation = ScheduleEvaluator(problem).evaluate({steps});
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    EXPECT_LT(seconds.count(), 20);
    EXPECT_TRUE(evaluation.valid()) << evaluation.violation->message();
    if (evaluation.steps.empty()) evaluation.steps.emplace_back();
    return evaluation;
  }

  static Step allOps(const Problem& problem, const Granularity& g) {
    const auto order = problem.graph().topologicalOrder();
    return {{order.begin(), order.end()}, g, {}, {}, std::nullopt};
  }
};

TEST_F(Robustness, TilesTimesKStepsMayPass63Bits) {
  // A column of 2^28 rows times a row: 2^56 tiles of one element, and 2^28 k-steps each.
  constexpr std::int64_t kEdge = std::int64_t{1} << 28;
  ProblemBuilder b;
  const TensorId lhs = b.native(1, 1).bandwidth(1).tensor(kEdge, kEdge);
  b.matMul(lhs, b.tensor(kEdge, kEdge), 3);
  const Problem problem = b.build();
  const StepReport report = evaluate(problem, {allOps(problem, {1, 1, 1})}).steps.front();
  const double iterations = std::pow(2.0, 84);
  EXPECT_EQ(report.tiles, kEdge * kEdge);
  EXPECT_EQ(report.kSteps, kEdge);
  EXPECT_EQ(report.account.cost.peakFastMemory, 3);
  EXPECT_DOUBLE_EQ(report.account.computeTime, 3 * iterations);
  EXPECT_NEAR(report.account.loads / (2 * iterations), 1, 1e-9);
  EXPECT_NEAR(report.account.cost.latency / (3 * iterations), 1, 1e-9);
}

TEST_F(Robustness, AHugeMatrixTimesItself) {
  constexpr std::int64_t kEdge = std::int64_t{1} << 29;
  ProblemBuilder b;
  const TensorId x = b.native(1, 1).bandwidth(1).tensor(kEdge, kEdge);
  b.matMul(x, x, 3);
  const Problem problem = b.build();
  const StepReport report = evaluate(problem, {allOps(problem, {1, 1, 1})}).steps.front();
  const double iterations = std::pow(2.0, 87);
  EXPECT_NEAR(report.account.computeTime / (3 * iterations), 1, 1e-12);
  EXPECT_NEAR(report.account.loads / (2 * iterations), 1, 1e-6);
  EXPECT_EQ(report.account.cost.peakFastMemory, 3);
}

// A second step of 2^56 tiles, which the literal simulator would never finish.
TEST_F(Robustness, NothingBehindABrokenStepIsWalked) {
  constexpr std::int64_t kEdge = std::int64_t{1} << 28;
  ProblemBuilder b;
  const TensorId x = b.native(1, 1).tensor(4, 4);
  b.pointwise({x}, 1);
  b.pointwise({b.tensor(kEdge, kEdge)}, 1);
  const Problem problem = b.build();
  const std::vector<Step> steps{step({0}, {2, 1, 1}), step({1}, {1, 1, 1})};
  const Evaluation evaluation =
      ScheduleEvaluator(problem, {DepthReading::kNative, SimulatorChoice::kLiteral})
          .evaluate({steps});
  ASSERT_FALSE(evaluation.valid());
  EXPECT_EQ(evaluation.violation->message(),
            "step 0: cost model 3.4: granularity w = 2 is outside 1 to the native width = 1");
  EXPECT_TRUE(evaluation.steps.empty());
}

// No list of 2^56 tiles is made to see the first three.
TEST_F(Robustness, TheLiteralWalkNeedsNoListOfTiles) {
  constexpr std::int64_t kEdge = std::int64_t{1} << 28;
  ProblemBuilder b;
  b.pointwise({b.native(1, 1).tensor(kEdge, kEdge)}, 1);
  const Problem problem = b.build();
  const Subgraph subgraph(problem, ops({0}));
  struct Enough {};
  std::vector<std::int64_t> tiles;
  const auto observe = [&](const Iteration& iteration) {
    tiles.push_back(iteration.tile);
    if (tiles.size() == 3) throw Enough{};
  };
  EXPECT_THROW(walkLiteral(subgraph, {1, 1, 1}, {TraversalKind::kColumnSnake, {}}, {},
                           DepthReading::kNative, observe),
               Enough);
  EXPECT_EQ(tiles, (std::vector<std::int64_t>{0, kEdge, 2 * kEdge}));
}

// Billions of granularities: the bound on one step looks at some, and stays a bound.
TEST_F(Robustness, TheBoundOnAStepEndsWhateverTheNativeSize) {
  constexpr std::int64_t kEdge = 100'000;
  ProblemBuilder b;
  const TensorId lhs = b.native(kEdge, kEdge).bandwidth(10).tensor(kEdge, kEdge);
  b.matMul(lhs, b.tensor(kEdge, kEdge), 1000);
  const auto boundWith = [&](std::int64_t capacity) {
    const Problem problem = b.capacity(capacity).build();
    const StepContext context{{}, tensors({2}), {}};
    const auto start = std::chrono::steady_clock::now();
    const double bound =
        stepLowerBound(Subgraph(problem, ops({0})), context, DepthReading::kNative);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    EXPECT_LT(seconds.count(), 20);
    return bound;
  };
  // The result is stored once. Where not even a tile of one element fits, nobody looks so far.
  constexpr double kStored = 1e10 / 10;
  EXPECT_GE(boundWith(2), kStored);
  const double bound = boundWith(500'000'000);
  EXPECT_GE(bound, kStored);
  // A granularity that fits, by the simulator: no bound is above it.
  const Problem problem = b.capacity(500'000'000).build();
  const CollapsedSimulator simulator(Subgraph(problem, ops({0})), {{}, tensors({2}), {}},
                                     DepthReading::kNative);
  const StepCost cost = simulator.cost({20'000, 20'000, 1'000}, TraversalKind::kRowSnake);
  ASSERT_LE(cost.peakFastMemory, 500'000'000);
  EXPECT_LE(bound, cost.latency);
}

TEST_F(Robustness, AStoppedBoundIsStillABound) {
  constexpr std::int64_t kEdge = 2000;
  ProblemBuilder b;
  const TensorId lhs = b.native(128, 128).bandwidth(10).capacity(60'000).tensor(kEdge, kEdge);
  b.matMul(lhs, b.tensor(kEdge, kEdge), 1000);
  const Problem problem = b.build();
  const Subgraph subgraph(problem, ops({0}));
  const StepContext context{{}, tensors({2}), {}};
  const auto bound = [&](const std::function<bool()>& stop) {
    return stepLowerBound(subgraph, context, DepthReading::kNative, 0, stop);
  };
  const double stopped = bound([] { return true; });
  EXPECT_GE(stopped, stepFloor(subgraph, context, DepthReading::kNative));
  EXPECT_LE(stopped, bound({}));
}

TEST_F(Robustness, LongReductionsInSingleSteps) {
  constexpr std::int64_t kReduction = 1'000'000'000;
  ProblemBuilder b;
  const TensorId lhs = b.native(64, 64).tensor(kReduction, 100);
  b.matMul(lhs, b.tensor(100, kReduction), 64);
  const Problem problem = b.build();
  const StepReport report = evaluate(problem, {allOps(problem, {50, 50, 1})}).steps.front();
  EXPECT_EQ(report.kSteps, kReduction);
  EXPECT_DOUBLE_EQ(report.account.computeTime, 4.0 * kReduction);
  EXPECT_DOUBLE_EQ(report.account.loads, 4.0 * kReduction * 100);
}

TEST_F(Robustness, AreasNearTheLimit) {
  constexpr std::int64_t kLength = std::int64_t{1} << 57;
  ProblemBuilder b;
  const TensorId x = b.native(kLength, kLength).bandwidth(1).tensor(kLength, 1);
  b.pointwise({x, b.tensor(kLength, 1)}, 0);
  const Problem problem = b.build();
  for (const std::int64_t w : {kLength, kLength - 1, std::int64_t{1} << 20, std::int64_t{1}}) {
    const StepReport report = evaluate(problem, {allOps(problem, {w, kLength, 0})}).steps.front();
    EXPECT_DOUBLE_EQ(report.account.cost.latency, 3.0 * static_cast<double>(kLength)) << w;
    EXPECT_EQ(report.account.cost.peakFastMemory, 3 * w);
  }
}

TEST_F(Robustness, NativeSizesNearTheLimitOfIntegers) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  ProblemBuilder b;
  const TensorId x = b.native(kMost, kMost).bandwidth(1).tensor(5, 7);
  b.pointwise({b.matMul(x, b.tensor(5, 5)), x}, 3);
  const Problem problem = b.build();
  const StepReport report = evaluate(problem, {allOps(problem, {kMost, kMost, 2})}).steps.front();
  EXPECT_EQ(report.tiles, 1);
  EXPECT_EQ(report.account.cost.peakFastMemory, 35 + 5 + 35);
  EXPECT_DOUBLE_EQ(report.account.loads, 2 * 14 + 10 + 10 + 35 + 5);
}

TEST_F(Robustness, TheLeastPeakOfARetainingStepWhateverTheNativeSize) {
  for (const std::int64_t native : {std::int64_t{4}, std::numeric_limits<std::int64_t>::max()}) {
    ProblemBuilder b;
    const TensorId y = b.native(native, native).bandwidth(1).tensor(5, 7);
    const TensorId made = b.pointwise({y}, 3);
    b.pointwise({made}, 3);
    const Problem problem = b.build();
    const Subgraph subgraph(problem, {OpId(0)});
    const CollapsedSimulator simulator(subgraph, {{}, {}, {made}}, DepthReading::kNative);
    // All of the result, and one element of the input beside it.
    EXPECT_EQ(simulator.peakFloor(), 36);
    EXPECT_EQ(simulator.cost({1, 1, 1}, TraversalKind::kRaster).peakFastMemory, 36);
  }
}

TEST_F(Robustness, AChainOfThousandsOfPointwiseOps) {
  ProblemBuilder b;
  TensorId t = b.native(16, 16).tensor(100'000'000, 1000);
  for (int i = 0; i < 5000; ++i) t = b.pointwise({t}, 1);
  const Problem problem = b.build();
  const StepReport report = evaluate(problem, {allOps(problem, {16, 16, 1})}).steps.front();
  EXPECT_DOUBLE_EQ(report.account.computeTime, 5000.0 * static_cast<double>(report.tiles));
}

TEST_F(Robustness, ThousandsOfRootsWithReductionsOfTheirOwn) {
  constexpr std::int64_t kRoots = 2000;
  ProblemBuilder b;
  b.native(16, 16);
  std::vector<TensorId> products;
  for (std::int64_t i = 1; i <= kRoots; ++i) {
    const TensorId lhs = b.tensor(i, 4000);
    products.push_back(b.matMul(lhs, b.tensor(4000, i), 1));
  }
  b.pointwise(products, 1);
  const Problem problem = b.build();
  const StepReport report = evaluate(problem, {allOps(problem, {16, 16, 1})}).steps.front();
  EXPECT_EQ(report.kSteps, kRoots);
  const double perTile = kRoots * (kRoots + 1) / 2 / 16.0 + 1;
  EXPECT_NEAR(report.account.computeTime, 250.0 * 250.0 * perTile, 1e-3);
}

TEST_F(Robustness, ThousandsOfOpsThatShareTensorsInTwoRoles) {
  // z_i = x_i * w_i + x_i: each x_i is demanded as a strip and as a tile.
  ProblemBuilder b;
  b.native(16, 16);
  std::vector<TensorId> sums;
  for (int i = 0; i < 2000; ++i) {
    const TensorId x = b.tensor(4000, 4000);
    sums.push_back(b.pointwise({b.matMul(x, b.tensor(4000, 4000), 1), x}, 1));
  }
  b.pointwise(sums, 1);
  const Problem problem = b.build();
  const StepReport report = evaluate(problem, {allOps(problem, {16, 16, 16})}).steps.front();
  EXPECT_NEAR(report.account.computeTime, 250.0 * 250.0 * (2000 * 251 + 1), 1);
}

TEST_F(Robustness, ThousandsOfMatricesTimesThemselves) {
  ProblemBuilder b;
  b.native(16, 16);
  std::vector<TensorId> products;
  for (int i = 0; i < 1000; ++i) {
    const TensorId x = b.tensor(4000, 4000);
    products.push_back(b.matMul(x, x, 1));
  }
  b.pointwise(products, 1);
  const Problem problem = b.build();
  const StepReport report = evaluate(problem, {allOps(problem, {16, 16, 16})}).steps.front();
  EXPECT_NEAR(report.account.computeTime, 250.0 * 250.0 * (1000 * 250 + 1), 1);
}

TEST_F(Robustness, ThousandsOfTensorsRetained) {
  constexpr int kOps = 5000;
  ProblemBuilder b;
  const TensorId x = b.native(4, 4).tensor(8, 8);
  std::vector<TensorId> outputs;
  for (int i = 0; i < kOps; ++i) outputs.push_back(b.pointwise({x}, 1));
  b.pointwise(outputs, 1);
  const Problem problem = b.build();
  std::vector<Step> steps(2);
  for (std::int32_t o = 0; o < kOps; ++o) steps[0].ops.emplace_back(o);
  steps[0].retained = outputs;
  steps[1].ops = ops({kOps});
  steps[0].granularity = steps[1].granularity = {4, 4, 1};
  const Evaluation evaluation = evaluate(problem, steps);
  ASSERT_EQ(evaluation.steps.size(), 2U);
  EXPECT_EQ(evaluation.steps[0].account.cost.peakFastMemory, 16 + kOps * 64);
  EXPECT_EQ(evaluation.steps[1].account.cost.peakFastMemory, 16 + kOps * 64);
  EXPECT_DOUBLE_EQ(evaluation.steps[1].account.loads, 0);
}

}  // namespace
}  // namespace tilebeam::test
