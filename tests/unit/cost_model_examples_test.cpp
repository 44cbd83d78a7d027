// Every row of the cost model's section 8.
#include <gmock/gmock.h>

#include <vector>

#include "support/evaluations.h"
#include "support/problem_builder.h"

namespace tilebeam::test {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

constexpr Granularity kNative{128, 128, 1};

void expectLatencies(const Problem& problem, const std::vector<Step>& steps,
                     const std::vector<double>& expected) {
  const Evaluation evaluation = evaluate(problem, steps);
  ASSERT_TRUE(evaluation.valid()) << evaluation.violation->message();
  EXPECT_THAT(latencies(evaluation), testing::Pointwise(testing::DoubleNear(0.05), expected));
  double total = 0;
  for (const StepReport& report : evaluation.steps) total += report.account.cost.latency;
  EXPECT_DOUBLE_EQ(evaluation.totalLatency, total);
}

Problem chain(std::int64_t edge) {
  ProblemBuilder b;
  const TensorId x = b.capacity(35000).tensor(edge, edge);
  b.pointwise({b.pointwise({x}, 1000)}, 100);
  return b.build();
}

TEST(CostModelExamples, Case1AChainOfOneTile) {
  const Problem problem = chain(128);
  expectLatencies(problem, {step({0}, kNative), step({1}, kNative)}, {3276.8, 3276.8});
  expectLatencies(problem, {step({0, 1}, kNative)}, {3276.8});
  expectLatencies(problem, {step({0, 1}, {64, 64, 1})}, {4400});
}

TEST(CostModelExamples, Case2AChainOfFourTiles) {
  const Problem problem = chain(256);
  expectLatencies(problem, {step({0}, kNative), step({1}, kNative)}, {13107.2, 13107.2});
  expectLatencies(problem, {step({0, 1}, kNative)}, {13107.2});
}

TEST(CostModelExamples, Case3Diamond) {
  ProblemBuilder b;
  const TensorId x = b.capacity(50000).tensor(128, 128);
  const TensorId y = b.pointwise({x}, 1500);
  b.pointwise({y, b.pointwise({y}, 1500)}, 1500);
  const Problem problem = b.build();
  expectLatencies(problem, {step({0}, kNative), step({1}, kNative), step({2}, kNative)},
                  {3276.8, 3276.8, 4915.2});
  expectLatencies(problem, {step({0, 1}, kNative, tensors({2})), step({0, 2}, kNative)},
                  {3000, 3276.8});
  expectLatencies(problem, {step({0}, kNative, tensors({1})), step({1, 2}, kNative)},
                  {1638.4, 3000});
}

TEST(CostModelExamples, Case4OneMatMulInTwoOrders) {
  ProblemBuilder b;
  const TensorId lhs = b.capacity(25000).tensor(128, 128);
  b.matMul(lhs, b.tensor(128, 128), 1500);
  const Problem problem = b.build();
  const Granularity quarter{64, 64, 128};
  expectLatencies(problem, {step({0}, quarter)}, {7096});
  EXPECT_THAT(peaks(evaluate(problem, {step({0}, quarter)})), ElementsAre(20480));
  expectLatencies(problem, {step({0}, quarter, {}, inOrder({0, 1, 3, 2}))}, {6548});
  expectLatencies(problem, {step({0}, quarter, {}, {TraversalKind::kRowSnake, {}})}, {6548});
}

TEST(CostModelExamples, Case5TwoMatMuls) {
  ProblemBuilder b;
  b.capacity(45000);
  const TensorId t0 = b.tensor(128, 128);
  const TensorId t1 = b.tensor(128, 128);
  const TensorId t2 = b.tensor(128, 128);
  b.matMul(b.matMul(t0, t1, 2000), t2, 2000);
  const Problem problem = b.build();
  EXPECT_EQ(verdict(problem, {step({0, 1}, {128, 128, 128})}),
            "step 0: cost model 3.9: the working set reaches 65536, the fast memory holds 45000");
  expectLatencies(problem, {step({0, 1}, {128, 128, 32})}, {6915.2});
  EXPECT_THAT(peaks(evaluate(problem, {step({0, 1}, {128, 128, 32})})), ElementsAre(40960));
}

TEST(CostModelExamples, TheAccountAddsUp) {
  const Evaluation evaluation = evaluate(chain(256), {step({0, 1}, kNative)});
  const StepReport& report = evaluation.steps.front();
  EXPECT_EQ(report.tiles, 4);
  EXPECT_EQ(report.kSteps, 1);
  EXPECT_DOUBLE_EQ(report.account.loads, 65536);
  EXPECT_DOUBLE_EQ(report.account.stores, 65536);
  EXPECT_DOUBLE_EQ(report.account.computeTime, 4400);
  EXPECT_DOUBLE_EQ(report.account.memoryTime, 13107.2);
  EXPECT_FALSE(report.computeBound());
  EXPECT_THAT(report.stored, ElementsAre(TensorId(2)));
}

}  // namespace
}  // namespace tilebeam::test
