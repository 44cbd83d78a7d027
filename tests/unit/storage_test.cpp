// What is stored (cost model, section 6).
#include <gmock/gmock.h>

#include "support/evaluations.h"
#include "support/problem_builder.h"

namespace tilebeam::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr Granularity kG{4, 4, 4};
using Stored = std::vector<std::vector<TensorId>>;

// x -> op 0 -> t1; t1 -> op 1 -> t2; t1, t2 -> op 2 -> t3; t1, t3 -> op 3 -> t4.
Problem ladder() {
  ProblemBuilder b;
  const TensorId x = b.native(4, 4).tensor(8, 8);
  const TensorId t1 = b.pointwise({x});
  const TensorId t2 = b.pointwise({t1});
  const TensorId t3 = b.pointwise({t1, t2});
  b.pointwise({t1, t3});
  return b.build();
}

Stored stored(const std::vector<Step>& steps) {
  const Evaluation evaluation = evaluate(ladder(), steps);
  EXPECT_TRUE(evaluation.valid()) << evaluation.violation->message();
  Stored result;
  for (const StepReport& report : evaluation.steps) result.push_back(report.stored);
  return result;
}

TEST(Storage, InteriorTensorsThatNobodyNeedsAreEphemeral) {
  EXPECT_THAT(stored({step({0, 1, 2, 3}, kG)}), ElementsAre(tensors({4})));
}

TEST(Storage, SinksAreStoredThoughUnneeded) {
  // Step 1 makes tensor 2 again, so nobody takes what step 0 stores.
  EXPECT_THAT(stored({step({0, 1}, kG, tensors({1})), step({1, 2}, kG), step({0, 1, 2, 3}, kG)}),
              ElementsAre(tensors({2}), tensors({3}), tensors({4})));
}

TEST(Storage, SinksAreStoredAgainEachTime) {
  EXPECT_THAT(stored({step({0}, kG), step({0}, kG), step({0, 1, 2, 3}, kG)}),
              ElementsAre(tensors({1}), tensors({1}), tensors({4})));
}

TEST(Storage, InteriorTensorsThatALaterStepTakesAreStored) {
  EXPECT_THAT(stored({step({0, 1}, kG), step({2, 3}, kG)}),
              ElementsAre(tensors({1, 2}), tensors({4})));
  // The taker need not be the next step, nor be the only one.
  EXPECT_THAT(stored({step({0, 1}, kG), step({1}, kG), step({2}, kG), step({3}, kG)}),
              ElementsAre(tensors({1, 2}), tensors({2}), tensors({3}), tensors({4})));
}

TEST(Storage, InteriorTensorsInSlowMemoryAreNotStoredAgain) {
  EXPECT_THAT(stored({step({0}, kG), step({0, 1}, kG), step({2, 3}, kG)}),
              ElementsAre(tensors({1}), tensors({2}), tensors({4})));
  EXPECT_THAT(stored({step({0, 1}, kG), step({0, 1}, kG), step({2, 3}, kG)}),
              ElementsAre(tensors({2}), tensors({1, 2}), tensors({4})));
}

TEST(Storage, WhatAStepInBetweenProducesIsNotStored) {
  EXPECT_THAT(stored({step({0, 1}, kG), step({0, 1, 2}, kG), step({3}, kG)}),
              ElementsAre(tensors({2}), tensors({1, 3}), tensors({4})));
}

TEST(Storage, RetainedTensorsAreNotStored) {
  EXPECT_THAT(
      stored({step({0, 1}, kG, tensors({2, 1})), step({2}, kG, tensors({3})), step({0, 3}, kG)}),
      ElementsAre(IsEmpty(), IsEmpty(), tensors({4})));
}

TEST(Storage, RetentionAndALaterUserExcludeEachOther) {
  EXPECT_EQ(
      verdict(ladder(), {step({0, 1}, kG, tensors({1})), step({2}, kG), step({3}, kG)}),
      "step 2: cost model 3.6: the external tensor 1 is neither in slow memory nor retained by "
      "the step before");
}

TEST(Storage, ARetainedCopyDoesNotCountAsStored) {
  // Step 0 retains tensor 1; step 1 takes it, and only step 2 stores it for step 3.
  EXPECT_THAT(stored({step({0}, kG, tensors({1})), step({1}, kG), step({0, 2}, kG), step({3}, kG)}),
              ElementsAre(IsEmpty(), tensors({2}), tensors({1, 3}), tensors({4})));
}

TEST(Storage, EachStoredTensorCostsItsTiles) {
  const Evaluation evaluation = evaluate(ladder(), {step({0, 1}, kG), step({2, 3}, kG)});
  EXPECT_DOUBLE_EQ(evaluation.steps[0].account.stores, 128);
  EXPECT_DOUBLE_EQ(evaluation.steps[1].account.stores, 64);
  EXPECT_EQ(evaluation.steps[0].account.cost.peakFastMemory, 16 + 2 * 16);
  EXPECT_EQ(evaluation.steps[1].account.cost.peakFastMemory, 2 * 16 + 16);
}

}  // namespace
}  // namespace tilebeam::test
