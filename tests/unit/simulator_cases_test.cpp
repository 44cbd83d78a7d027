// Steps with a twist, small enough to work out by hand; both simulators (see evaluations.h).
#include <gtest/gtest.h>

#include <algorithm>

#include "support/evaluations.h"
#include "support/problem_builder.h"

namespace tilebeam::test {
namespace {

StepAccount account(const Problem& problem, const Step& only,
                    DepthReading depth = DepthReading::kNative) {
  const Evaluation evaluation = evaluate(problem, {only}, depth);
  EXPECT_TRUE(evaluation.valid()) << evaluation.violation->message();
  return evaluation.valid() ? evaluation.steps.front().account : StepAccount();
}

TEST(SimulatorCases, AMatrixTimesItselfSharesSlices) {
  ProblemBuilder b;
  const TensorId x = b.native(2, 2).tensor(4, 4);
  b.matMul(x, x);
  const Problem problem = b.build();
  // Blocks of x, two iterations per tile: 00 / 01 10 | 00 01* / 01* 11 | 10 00 / 11 10* | 10* 01 /
  // 11, where a starred block is held from the iteration before.
  const StepAccount raster = account(problem, step({0}, {2, 2, 2}));
  EXPECT_DOUBLE_EQ(raster.loads, 10 * 4);
  EXPECT_EQ(raster.cost.peakFastMemory, 4 + 4 + 4);
  // Snake: ... | 10 01* / 11 | 10 00 / 11 10*, where the turn saves what the diagonal loses.
  const StepAccount snake =
      account(problem, step({0}, {2, 2, 2}, {}, {TraversalKind::kRowSnake, {}}));
  EXPECT_DOUBLE_EQ(snake.loads, (1 + 2 + 1 + 1 + 1 + 1 + 2 + 1) * 4);
}

TEST(SimulatorCases, AStripAndATileOfOneTensorMayCoincide) {
  // z = x * w + x: the last k-step of tile c demands x over column block c too.
  ProblemBuilder b;
  const TensorId x = b.native(2, 2).tensor(4, 2);
  b.pointwise({b.matMul(x, b.tensor(4, 4)), x});
  const Problem problem = b.build();
  // x0 w00 / x1 w10 x0* | x0* w01 / x1 w11
  EXPECT_DOUBLE_EQ(account(problem, step({0, 1}, {2, 2, 2})).loads, (2 + 2 + 1 + 2) * 4);
  // Backwards: x0 w01 / x1 w11 | x0 w00 / x1 w10 x0*
  EXPECT_DOUBLE_EQ(account(problem, step({0, 1}, {2, 2, 2}, {}, inOrder({1, 0}))).loads,
                   (2 + 2 + 2 + 2) * 4);
}

TEST(SimulatorCases, AWholeTensorMakesItsPartsDrop) {
  // z = (x * x) * w: a left strip of x * x takes all of x on the left, some columns on the right.
  ProblemBuilder b;
  const TensorId x = b.native(4, 4).tensor(4, 4);
  b.matMul(b.matMul(x, x, 8), b.tensor(4, 4), 8);
  const StepAccount cost = account(b.build(), step({0, 1}, {4, 4, 2}));
  EXPECT_DOUBLE_EQ(cost.loads, 16 + 2 * 8);  // x once, w in two halves
  EXPECT_EQ(cost.cost.peakFastMemory, 16 + 8 + 16);
  EXPECT_DOUBLE_EQ(cost.computeTime, 2 * (8 * 0.5 + 8 * 0.5));
}

// y = a * b (K = 6), z = c * d (K = 3), out = y + z + e + f; 4 x 4, one tile.
Problem twoRoots() {
  ProblemBuilder b;
  b.native(8, 8);
  const TensorId first = b.matMul(b.tensor(6, 4), b.tensor(4, 6), 16);
  const TensorId second = b.matMul(b.tensor(3, 4), b.tensor(4, 3), 32);
  b.pointwise({first, second, b.tensor(4, 4), b.tensor(4, 4)}, 5);
  return b.build();
}

TEST(SimulatorCases, RootsEndWithTheirOwnReduction) {
  const StepAccount cost = account(twoRoots(), step({0, 1, 2}, {4, 4, 2}));
  EXPECT_DOUBLE_EQ(cost.loads, 2 * 24 + 2 * 12 + 2 * 16);
  EXPECT_DOUBLE_EQ(cost.computeTime, 16 * 6.0 / 8 + 32 * 3.0 / 8 + 5);
  const double latency = std::max(16 * 0.25 + 32 * 0.25, 3.2) +
                         std::max(16 * 0.25 + 32 * 0.125, 2.4) +
                         std::max(16 * 0.25 + 5, (16 + 32 + 16) / 10.0);
  EXPECT_DOUBLE_EQ(cost.cost.latency, latency);
}

TEST(SimulatorCases, FinishedRootsKeepTheirAccumulators) {
  // In the last k-step: slices of a and b, of e and f, and two accumulators.
  EXPECT_EQ(account(twoRoots(), step({0, 1, 2}, {4, 4, 2})).cost.peakFastMemory, 16 + 32 + 2 * 16);
  // At k = 3 the second root is not split: one accumulator.
  EXPECT_EQ(account(twoRoots(), step({0, 1, 2}, {4, 4, 3})).cost.peakFastMemory, 24 + 32 + 16);
}

TEST(SimulatorCases, FullDepthSpreadsTheBaseCostOverTheReduction) {
  ProblemBuilder b;
  b.native(4, 4);
  const TensorId inner = b.matMul(b.tensor(2, 4), b.tensor(4, 2), 8);
  b.matMul(inner, b.tensor(4, 4), 8);
  const Step both = step({0, 1}, {4, 4, 2});
  EXPECT_DOUBLE_EQ(account(b.build(), both).computeTime, 2 * (8 * 0.5 + 8 * 0.5 * 0.5));
  EXPECT_DOUBLE_EQ(account(b.build(), both, DepthReading::kFull).computeTime,
                   2 * (8 * 0.5 + 8 * 0.5));
  EXPECT_DOUBLE_EQ(account(twoRoots(), step({0, 1, 2}, {4, 4, 2}), DepthReading::kFull).computeTime,
                   16 + 32 + 5);
}

TEST(SimulatorCases, ClippedTilesPayInFullClippedReductionsInProportion) {
  ProblemBuilder b;
  const TensorId x = b.native(4, 4).tensor(5, 5);
  b.pointwise({b.matMul(x, b.tensor(5, 5), 8)}, 3);
  const StepAccount cost = account(b.build(), step({0, 1}, {4, 4, 4}));
  EXPECT_DOUBLE_EQ(cost.computeTime, 4 * (8 * 5.0 / 4 + 3));
  EXPECT_DOUBLE_EQ(cost.stores, 25);
}

TEST(SimulatorCases, StripsPayByNativeBlocks) {
  // A right strip of four rows where nh = 2: a Pointwise pays twice, a MatMul by its rows.
  ProblemBuilder pointwise;
  const TensorId x = pointwise.native(4, 2).tensor(4, 4);
  pointwise.matMul(pointwise.tensor(4, 2), pointwise.pointwise({x}, 7), 8);
  EXPECT_DOUBLE_EQ(account(pointwise.build(), step({0, 1}, {4, 2, 4})).computeTime, 8 + 2 * 7);

  ProblemBuilder matMul;
  const TensorId y = matMul.native(4, 2).tensor(4, 4);
  matMul.matMul(matMul.tensor(4, 2), matMul.matMul(y, matMul.tensor(4, 4), 7), 8);
  EXPECT_DOUBLE_EQ(account(matMul.build(), step({0, 1}, {4, 2, 4})).computeTime, 8 + 7);
}

TEST(SimulatorCases, AStripThatTwoRootsWantIsMadeOnce) {
  ProblemBuilder b;
  const TensorId y = b.pointwise({b.native(4, 4).tensor(4, 4)}, 7);
  b.matMul(y, b.tensor(4, 4), 8);
  b.matMul(y, b.tensor(4, 4), 8);
  EXPECT_DOUBLE_EQ(account(b.build(), step({0, 1, 2}, {4, 4, 4})).computeTime, 7 + 8 + 8);
}

TEST(SimulatorCases, LeftAndRightStripsAreDifferentThings) {
  // y * y with y = p(x): y is made as a left and as a right strip, x is loaded once.
  ProblemBuilder b;
  const TensorId y = b.pointwise({b.native(4, 4).tensor(4, 4)}, 7);
  b.matMul(y, y, 8);
  const StepAccount cost = account(b.build(), step({0, 1}, {4, 4, 4}));
  EXPECT_DOUBLE_EQ(cost.computeTime, 7 + 7 + 8);
  EXPECT_DOUBLE_EQ(cost.loads, 16);
}

TEST(SimulatorCases, ATensorAtTilePositionIsMadeAgainAsAStrip) {
  // y = p(x), out = y * w + y: y runs on the tile and as a strip in both k-steps.
  ProblemBuilder b;
  const TensorId y = b.pointwise({b.native(4, 4).tensor(4, 4)}, 7);
  b.pointwise({b.matMul(y, b.tensor(4, 4), 8), y}, 5);
  const StepAccount cost = account(b.build(), step({0, 1, 2}, {4, 4, 2}));
  EXPECT_DOUBLE_EQ(cost.computeTime, 2 * (4 + 7) + 7 + 5);
}

TEST(SimulatorCases, NothingOutlivesAStep) {
  ProblemBuilder b;
  const TensorId x = b.native(4, 4).tensor(4, 4);
  b.pointwise({x});
  b.pointwise({x});
  const Evaluation evaluation = evaluate(b.build(), {step({0}, {4, 4, 1}), step({1}, {4, 4, 1})});
  for (const StepReport& report : evaluation.steps) EXPECT_DOUBLE_EQ(report.account.loads, 16);
}

}  // namespace
}  // namespace tilebeam::test
