// Tensors that stay in fast memory between two steps: the space they take and the loads they save.
#include <gmock/gmock.h>

#include "support/evaluations.h"
#include "support/problem_builder.h"

namespace tilebeam::test {
namespace {

using testing::ElementsAre;

constexpr Granularity kG{4, 4, 4};

// x -> op 0 -> t1 -> op 1 -> t2, 8 x 8 in tiles of 4 x 4.
Problem chain() {
  ProblemBuilder b;
  const TensorId x = b.native(4, 4).tensor(8, 8);
  b.pointwise({b.pointwise({x}, 3)}, 5);
  return b.build();
}

TEST(Residency, RetainedTilesAccumulate) {
  const Evaluation evaluation = evaluate(chain(), {step({0}, kG, tensors({1})), step({1}, kG)});
  ASSERT_TRUE(evaluation.valid());
  // Step 0 in its last tile: the input, three finished tiles, the fourth. Step 1: all of t1, a
  // tile.
  EXPECT_THAT(peaks(evaluation), ElementsAre(16 + 3 * 16 + 16, 64 + 16));
}

TEST(Residency, RetainedTensorsCostNoStoresAndUsedOnesNoLoads) {
  const Evaluation evaluation = evaluate(chain(), {step({0}, kG, tensors({1})), step({1}, kG)});
  EXPECT_DOUBLE_EQ(evaluation.steps[0].account.loads, 64);
  EXPECT_DOUBLE_EQ(evaluation.steps[0].account.stores, 0);
  EXPECT_DOUBLE_EQ(evaluation.steps[1].account.loads, 0);
  EXPECT_DOUBLE_EQ(evaluation.steps[1].account.stores, 64);
}

TEST(Residency, SeveralRetainedTensorsAccumulateTogether) {
  const Evaluation evaluation =
      evaluate(chain(), {step({0, 1}, kG, tensors({1, 2})), step({0, 1}, kG)});
  ASSERT_TRUE(evaluation.valid());
  EXPECT_THAT(peaks(evaluation), ElementsAre(16 + 2 * 48 + 2 * 16, 2 * 64 + 16 + 16));
}

TEST(Residency, TheLastTileNeedNotHoldThePeak) {
  // 5 x 4 in tiles of 4 x 4: the second tile is clipped to one column.
  ProblemBuilder b;
  const TensorId x = b.native(4, 4).tensor(5, 4);
  b.pointwise({b.pointwise({x})});
  const Problem problem = b.build();
  EXPECT_EQ(peaks(evaluate(problem, {step({0}, kG, tensors({1})), step({1}, kG)}))[0], 32);
  const Step backwards = step({0}, kG, tensors({1}), inOrder({1, 0}));
  EXPECT_EQ(peaks(evaluate(problem, {backwards, step({1}, kG)}))[0], 16 + 4 + 16);
}

TEST(Residency, UnusedResidentsTakeSpaceForOneStep) {
  const Evaluation evaluation =
      evaluate(chain(), {step({0}, kG, tensors({1})), step({0}, kG), step({1}, kG)});
  ASSERT_TRUE(evaluation.valid());
  EXPECT_THAT(peaks(evaluation), ElementsAre(80, 64 + 16 + 16, 32));
}

TEST(Residency, AResidentTensorMadeAgainIsNotUsed) {
  const Evaluation evaluation = evaluate(chain(), {step({0}, kG, tensors({1})), step({0, 1}, kG)});
  ASSERT_TRUE(evaluation.valid());
  const StepAccount& account = evaluation.steps[1].account;
  EXPECT_EQ(account.cost.peakFastMemory, 64 + 16 + 16);
  EXPECT_DOUBLE_EQ(account.loads, 64);
  EXPECT_DOUBLE_EQ(account.computeTime, 4 * (3 + 5));
}

TEST(Residency, AResidentStripMadeAgainIsNotUsed) {
  // y = p(x), made for a MatMul, though it is resident: its compute and x's loads are paid.
  ProblemBuilder b;
  const TensorId x = b.native(4, 4).tensor(4, 4);
  const TensorId y = b.pointwise({x}, 3);
  b.matMul(y, b.tensor(4, 4), 8);
  const Evaluation evaluation =
      evaluate(b.build(), {step({0}, kG, tensors({1})), step({0, 1}, kG)});
  ASSERT_TRUE(evaluation.valid());
  const StepAccount& account = evaluation.steps[1].account;
  EXPECT_EQ(account.cost.peakFastMemory, 16 + 32 + 16);
  EXPECT_DOUBLE_EQ(account.loads, 32);
  EXPECT_DOUBLE_EQ(account.computeTime, 3 + 8);
}

TEST(Residency, ResidentOperandsOfAMatMulAreNotLoaded) {
  ProblemBuilder b;
  const TensorId x = b.native(4, 4).tensor(8, 8);
  const TensorId y = b.pointwise({x});
  b.matMul(y, x);
  const Evaluation evaluation = evaluate(b.build(), {step({0}, kG, tensors({1})), step({1}, kG)});
  ASSERT_TRUE(evaluation.valid());
  EXPECT_DOUBLE_EQ(evaluation.steps[1].account.loads, 8 * 16);
  EXPECT_EQ(evaluation.steps[1].account.cost.peakFastMemory, 64 + 16 + 16);
}

TEST(Residency, AccumulatorAndRetainedOutputShareSpace) {
  ProblemBuilder b;
  const TensorId x = b.native(4, 4).tensor(8, 8);
  b.pointwise({b.matMul(x, b.tensor(8, 8))});
  const Evaluation evaluation =
      evaluate(b.build(), {step({0}, {4, 4, 2}, tensors({2})), step({1}, kG)});
  ASSERT_TRUE(evaluation.valid());
  EXPECT_EQ(evaluation.steps[0].account.cost.peakFastMemory, 8 + 8 + 16 + 48);
}

}  // namespace
}  // namespace tilebeam::test
