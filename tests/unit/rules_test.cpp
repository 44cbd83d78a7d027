// Each rule of the cost model's section 3, broken alone, beside the nearest schedule that obeys it.
#include <gtest/gtest.h>

#include "support/evaluations.h"
#include "support/problem_builder.h"

namespace tilebeam::test {
namespace {

constexpr Granularity kG{4, 4, 4};

// t0 -> op 0 -> t1 -> op 1 -> t2, 8 x 8.
Problem chain() {
  ProblemBuilder b;
  const TensorId x = b.native(4, 4).tensor(8, 8);
  b.pointwise({b.pointwise({x})});
  return b.build();
}

TEST(Rules, AStepHasAnOp) {
  EXPECT_EQ(verdict(chain(), {step({0, 1}, kG), step({}, kG)}),
            "step 1: cost model 3.1: the step has no op");
}

TEST(Rules, NoOpStandsTwiceInAStep) {
  EXPECT_EQ(verdict(chain(), {step({0, 1, 0}, kG)}),
            "step 0: cost model 3.1: op 0 is listed twice");
  EXPECT_EQ(verdict(chain(), {step({0}, kG), step({0, 1}, kG)}), "valid");
}

TEST(Rules, ProducersStandBeforeConsumers) {
  EXPECT_EQ(
      verdict(chain(), {step({1, 0}, kG)}),
      "step 0: cost model 3.1: op 1 is listed before op 0, which produces its input tensor 1");
  EXPECT_EQ(verdict(chain(), {step({0, 1}, kG)}), "valid");
}

TEST(Rules, OpsExist) {
  EXPECT_EQ(verdict(chain(), {step({0, 2}, kG)}),
            "step 0: cost model 3.1: op 2 does not exist; there are 2 ops");
  EXPECT_EQ(verdict(chain(), {step({-1}, kG)}),
            "step 0: cost model 3.1: op -1 does not exist; there are 2 ops");
}

TEST(Rules, AStepIsConnected) {
  ProblemBuilder b;
  const TensorId x = b.native(4, 4).tensor(8, 8);
  const TensorId y = b.tensor(8, 8);
  b.pointwise({x});
  b.pointwise({y});
  b.pointwise({x, y});
  const Problem problem = b.build();
  EXPECT_EQ(verdict(problem, {step({2}, kG), step({0, 1}, kG)}),
            "step 1: cost model 3.2: op 1 is not connected to op 0 by tensors that the step's ops "
            "touch");
  EXPECT_EQ(verdict(problem, {step({0, 1, 2}, kG)}), "valid");  // by shared inputs alone
}

TEST(Rules, SinksHaveOneShape) {
  ProblemBuilder b;
  const TensorId x = b.native(4, 4).tensor(8, 6);
  const TensorId y = b.tensor(6, 8);
  b.matMul(x, y);
  b.matMul(y, x);
  const Problem problem = b.build();
  EXPECT_EQ(
      verdict(problem, {step({0, 1}, kG)}),
      "step 0: cost model 3.3: the sinks' outputs differ in shape: tensor 2 is 6 x 6, tensor 3 "
      "is 8 x 8");
  EXPECT_EQ(verdict(problem, {step({0}, kG), step({1}, kG)}), "valid");
}

TEST(Rules, GranularityStaysWithinNative) {
  ProblemBuilder b;
  const TensorId x = b.native(5, 3).tensor(8, 8);
  b.matMul(x, x);
  const Problem problem = b.build();
  const auto with = [&](std::int64_t w, std::int64_t h, std::int64_t k) {
    return verdict(problem, {step({0}, {w, h, k})});
  };
  EXPECT_EQ(with(5, 3, 5), "valid");
  EXPECT_EQ(with(1, 1, 1), "valid");
  const std::string start = "step 0: cost model 3.4: granularity ";
  EXPECT_EQ(with(6, 3, 5), start + "w = 6 is outside 1 to the native width = 5");
  EXPECT_EQ(with(0, 3, 5), start + "w = 0 is outside 1 to the native width = 5");
  EXPECT_EQ(with(5, 4, 5), start + "h = 4 is outside 1 to the native height = 3");
  EXPECT_EQ(with(5, -1, 5), start + "h = -1 is outside 1 to the native height = 3");
  EXPECT_EQ(with(5, 3, 6), start + "k = 6 is outside 1 to the native depth = 5");
  EXPECT_EQ(with(5, 3, 0), start + "k = 0 is outside 1 to the native depth = 5");
}

TEST(Rules, DepthStaysWithinEveryReduction) {
  ProblemBuilder b;
  const TensorId x = b.native(8, 8).tensor(6, 8);
  const TensorId y = b.tensor(3, 8);
  const TensorId first = b.matMul(x, b.tensor(8, 6));
  const TensorId second = b.matMul(y, b.tensor(8, 3));
  b.pointwise({first, second});
  const Problem problem = b.build();
  EXPECT_EQ(verdict(problem, {step({0, 1, 2}, {8, 8, 4})}),
            "step 0: cost model 3.4: granularity k = 4 is outside 1 to the least reduction in the "
            "step = 3");
  EXPECT_EQ(verdict(problem, {step({0, 1, 2}, {8, 8, 3})}), "valid");
}

TEST(Rules, DepthOfPointwiseStepsIsIgnored) {
  for (const std::int64_t k : {std::int64_t{0}, std::int64_t{-7}, std::int64_t{1} << 60}) {
    EXPECT_EQ(verdict(chain(), {step({0, 1}, {4, 4, k})}), "valid") << k;
  }
}

TEST(Rules, PrologueOfTheLeftSide) {
  ProblemBuilder b;
  const TensorId x = b.native(8, 8).tensor(6, 8);
  b.matMul(b.pointwise({x}), b.tensor(8, 6));
  const Problem problem = b.build();
  EXPECT_EQ(
      verdict(problem, {step({0, 1}, {5, 1, 5})}),
      "step 0: cost model 3.5: a Pointwise makes the LHS of a MatMul whose reduction 6 is split "
      "at k = 5, so w must be at least 6, not 5");
  EXPECT_EQ(verdict(problem, {step({0, 1}, {6, 1, 5})}), "valid");
  EXPECT_EQ(verdict(problem, {step({0, 1}, {5, 1, 6})}), "valid");
}

TEST(Rules, PrologueOfTheRightSideOfANestedMatMul) {
  ProblemBuilder b;
  const TensorId x = b.native(8, 8).tensor(8, 6);
  const TensorId inner = b.matMul(b.tensor(6, 8), b.pointwise({x}));
  b.matMul(inner, b.tensor(8, 8));
  const Problem problem = b.build();
  EXPECT_EQ(
      verdict(problem, {step({0, 1, 2}, {1, 5, 5})}),
      "step 0: cost model 3.5: a Pointwise makes the RHS of a MatMul whose reduction 6 is split "
      "at k = 5, so h must be at least 6, not 5");
  EXPECT_EQ(verdict(problem, {step({0, 1, 2}, {1, 6, 5})}), "valid");
  EXPECT_EQ(verdict(problem, {step({0, 1, 2}, {1, 5, 6})}), "valid");
}

TEST(Rules, ExternalTensorsAreThere) {
  const Problem problem = chain();
  EXPECT_EQ(
      verdict(problem, {step({1}, kG), step({0}, kG)}),
      "step 0: cost model 3.6: the external tensor 1 is neither in slow memory nor retained by "
      "the step before");
  EXPECT_EQ(verdict(problem, {step({0}, kG), step({1}, kG)}), "valid");
  EXPECT_EQ(verdict(problem, {step({0}, kG, tensors({1})), step({1}, kG)}), "valid");
}

TEST(Rules, RetentionLastsOneStep) {
  const Problem problem = chain();
  const Step other = step({0}, kG, tensors({1}));
  EXPECT_EQ(
      verdict(problem, {other, step({1}, kG), step({1}, kG)}),
      "step 2: cost model 3.6: the external tensor 1 is neither in slow memory nor retained by "
      "the step before");
}

TEST(Rules, RetainedTensorsAreDistinctAndNewlyProduced) {
  const Problem problem = chain();
  const auto retaining = [&](std::initializer_list<std::int32_t> list) {
    return verdict(problem, {step({0}, kG, tensors(list)), step({1}, kG)});
  };
  EXPECT_EQ(retaining({1}), "valid");
  EXPECT_EQ(retaining({1, 1}), "step 0: cost model 3.7: tensor 1 is retained twice");
  for (const std::int32_t t : {0, 2, 3, -1}) {
    EXPECT_EQ(retaining({t}), "step 0: cost model 3.7: tensor " + std::to_string(t) +
                                  " is retained but no op of the step produces it");
  }
}

TEST(Rules, CarriedInIsNotRetainedAgain) {
  const Problem problem = chain();
  const Step first = step({0}, kG, tensors({1}));
  EXPECT_EQ(verdict(problem, {first, step({0}, kG, tensors({1})), step({1}, kG)}),
            "step 1: cost model 3.7: tensor 1 was carried in and cannot be retained again");
  EXPECT_EQ(verdict(problem, {first, step({1}, kG), step({0}, kG, tensors({1}))}), "valid");
}

TEST(Rules, StoredAndRetainedTensorsAreAtTilePosition) {
  ProblemBuilder b;
  const TensorId x = b.native(8, 8).tensor(8, 8);
  const TensorId inner = b.pointwise({x});
  b.matMul(inner, x);
  b.pointwise({inner});
  const Problem problem = b.build();
  const Granularity g{8, 8, 8};
  EXPECT_EQ(verdict(problem, {step({0, 1}, g, tensors({1})), step({2}, g)}),
            "step 0: cost model 3.8: the retained tensor 1 is not at tile position");
  EXPECT_EQ(verdict(problem, {step({0, 1}, g), step({2}, g)}),
            "step 0: cost model 3.8: tensor 1 must be stored for a later step but is not at tile "
            "position");
  EXPECT_EQ(verdict(problem, {step({0, 1}, g), step({0, 2}, g)}), "valid");
}

TEST(Rules, TheWorkingSetFits) {
  ProblemBuilder b;
  const TensorId x = b.native(4, 4).tensor(8, 8);
  b.pointwise({x});
  EXPECT_EQ(verdict(b.capacity(32).build(), {step({0}, kG)}), "valid");
  EXPECT_EQ(verdict(b.capacity(31).build(), {step({0}, kG)}),
            "step 0: cost model 3.9: the working set reaches 32, the fast memory holds 31");
}

TEST(Rules, EveryOpIsCovered) {
  EXPECT_EQ(verdict(chain(), {step({0}, kG)}), "cost model 3: op 1 is in no step");
  EXPECT_EQ(verdict(chain(), {}), "cost model 3: op 0 is in no step");
}

TEST(Rules, EveryGraphOutputIsStored) {
  EXPECT_EQ(verdict(chain(), {step({0, 1}, kG, tensors({2}))}),
            "cost model 3: the graph output tensor 2 is never stored");
  EXPECT_EQ(verdict(chain(), {step({0, 1}, kG, tensors({2})), step({0, 1}, kG)}), "valid");
}

TEST(Rules, TheTraversalIsAPermutation) {
  const auto with = [](std::vector<std::int64_t> order) {
    return verdict(chain(), {step({0, 1}, kG, {}, inOrder(std::move(order)))});
  };
  const std::string start = "step 0: cost model 2: the traversal order lists ";
  EXPECT_EQ(with({3, 1, 0, 2}), "valid");
  EXPECT_EQ(with({}), start + "0 tiles, the grid has 2 x 2 tiles");
  EXPECT_EQ(with({0, 1, 2}), start + "3 tiles, the grid has 2 x 2 tiles");
  EXPECT_EQ(with({0, 1, 2, 3, 4}), start + "5 tiles, the grid has 2 x 2 tiles");
  EXPECT_EQ(with({0, 1, 2, 4}), start + "tile 4, the grid has 2 x 2 tiles");
  EXPECT_EQ(with({0, 1, 2, -1}), start + "tile -1, the grid has 2 x 2 tiles");
  EXPECT_EQ(with({0, 1, 2, 1}), start + "tile 1 twice");
}

TEST(Rules, StepsBeforeTheOffendingOneAreReported) {
  const Evaluation evaluation = evaluate(chain(), {step({0}, kG), step({1}, {5, 4, 1})});
  ASSERT_FALSE(evaluation.valid());
  EXPECT_EQ(evaluation.violation->step, 1U);
  EXPECT_EQ(evaluation.violation->violation.rule, 4);
  ASSERT_EQ(evaluation.steps.size(), 1U);
  EXPECT_DOUBLE_EQ(evaluation.totalLatency, evaluation.steps[0].account.cost.latency);
}

}  // namespace
}  // namespace tilebeam::test
