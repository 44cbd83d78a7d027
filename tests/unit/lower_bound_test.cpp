#include "tilebeam/lower_bound.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/evaluations.h"
#include "support/problem_builder.h"

namespace tilebeam::test {
namespace {

double termOf(const LowerBound& bound, const std::string& name) {
  for (const BoundTerm& term : bound.terms) {
    if (term.name == name) return term.value;
  }
  ADD_FAILURE() << "no term " << name;
  return 0;
}

TEST(LowerBoundTerms, TrafficIsWhatMustPass) {
  ProblemBuilder b;
  const TensorId x = b.tensor(256, 128);
  b.tensor(999, 999);  // touched by no op
  b.pointwise({b.pointwise({x}, 0)}, 0);
  const LowerBound bound = lowerBound(b.build(), DepthReading::kNative);
  EXPECT_DOUBLE_EQ(termOf(bound, "traffic"), 2 * 256 * 128 / 10.0);
  EXPECT_DOUBLE_EQ(termOf(bound, "compute"), 0);
  EXPECT_DOUBLE_EQ(bound.value, termOf(bound, "traffic"));
}

TEST(LowerBoundTerms, PointwiseOpsPayByNativeTiles) {
  ProblemBuilder b;
  b.pointwise({b.native(16, 8).tensor(33, 9)}, 5);
  EXPECT_DOUBLE_EQ(opComputeBound(b.build(), OpId(0), DepthReading::kNative), 5 * 3 * 2);
}

TEST(LowerBoundTerms, MatMulsPayTheirReductionInProportion) {
  ProblemBuilder b;
  const TensorId lhs = b.native(16, 8).tensor(40, 16);
  b.matMul(lhs, b.tensor(32, 40), 5);
  const Problem problem = b.build();
  EXPECT_DOUBLE_EQ(opComputeBound(problem, OpId(0), DepthReading::kNative), 5 * 40 / 16.0 * 2);
  EXPECT_DOUBLE_EQ(opComputeBound(problem, OpId(0), DepthReading::kFull), 5 * 2);
}

TEST(LowerBoundTerms, ARightStripMayBeCheaperThanWholeTiles) {
  // 4 rows of native 8 x 16: as the maker of right strips the op pays 4 / nk for each column tile.
  ProblemBuilder b;
  const TensorId lhs = b.native(16, 8).tensor(16, 4);
  const TensorId y = b.matMul(lhs, b.tensor(16, 16), 8);
  b.matMul(b.tensor(4, 8), y, 8);
  const Problem problem = b.build();
  EXPECT_DOUBLE_EQ(opComputeBound(problem, OpId(0), DepthReading::kNative), 8 * 4 / 16.0);
  const Evaluation evaluation = evaluate(problem, {step({0, 1}, {16, 8, 4})});
  EXPECT_DOUBLE_EQ(evaluation.steps[0].account.computeTime, 8 * 4 / 16.0 + 8 * 4 / 16.0);
}

TEST(LowerBoundTerms, AOneStepScheduleMayReachTheBound) {
  ProblemBuilder b;
  b.pointwise({b.tensor(256, 256)}, 1);
  const Problem problem = b.build();
  const Evaluation evaluation = evaluate(problem, {step({0}, {128, 128, 1})});
  EXPECT_DOUBLE_EQ(lowerBound(problem, DepthReading::kNative).value, evaluation.totalLatency);
}

}  // namespace
}  // namespace tilebeam::test
