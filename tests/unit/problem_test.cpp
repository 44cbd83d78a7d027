// What a well-formed problem is (cost model, section 1), and the messages for what is not one.
#include "tilebeam/problem.h"

#include <gmock/gmock.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "support/problem_builder.h"
#include "tilebeam/errors.h"

namespace tilebeam::test {
namespace {

using testing::ElementsAreArray;

// The parts of a problem, to be bent before it is built: t0 -> p -> t1; t1 * t2 -> t3.
struct Parts {
  std::vector<Tensor> tensors{{4, 6}, {4, 6}, {5, 4}, {5, 6}};
  std::vector<Op> ops{{OpType::kPointwise, 1, {TensorId(0)}, TensorId(1)},
                      {OpType::kMatMul, 2, {TensorId(1), TensorId(2)}, TensorId(3)}};
  Hardware hardware{1000, 10, 8, 8};

  std::string refusal() const {
    try {
      Problem(tensors, ops, hardware);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  }
};

TEST(Problem, AcceptsAWellFormedOne) {
  const Parts parts;
  EXPECT_EQ(parts.refusal(), "accepted");
  const Problem problem(parts.tensors, parts.ops, parts.hardware);
  EXPECT_EQ(problem.reduction(OpId(1)), 4);
  EXPECT_TRUE(problem.isGraphInput(TensorId(0)));
  EXPECT_TRUE(problem.isGraphInput(TensorId(2)));
  EXPECT_FALSE(problem.isGraphInput(TensorId(1)));
  EXPECT_TRUE(problem.isGraphOutput(TensorId(3)));
  EXPECT_FALSE(problem.isGraphOutput(TensorId(1)));
  EXPECT_STREQ(name(OpType::kMatMul), "MatMul");
  EXPECT_STREQ(name(OpType::kPointwise), "Pointwise");
}

TEST(Problem, IgnoresUntouchedTensors) {
  Parts parts;
  parts.tensors.push_back({7, 7});
  const Problem problem(parts.tensors, parts.ops, parts.hardware);
  EXPECT_FALSE(problem.isGraphInput(TensorId(4)));
  EXPECT_FALSE(problem.isGraphOutput(TensorId(4)));
}

TEST(Problem, RefusesBadSizes) {
  Parts parts;
  parts.tensors[2] = {5, 0};
  EXPECT_EQ(parts.refusal(), "tensor 2: width and height must be positive, not 5 x 0");
  parts.tensors[2] = {-5, 4};
  EXPECT_EQ(parts.refusal(), "tensor 2: width and height must be positive, not -5 x 4");
}

TEST(Problem, RefusesAreasThatWouldOverflow) {
  const std::string rule = " is too large; the areas of all tensors may sum to 2^59 at most";
  Parts parts;
  parts.tensors.push_back({std::int64_t{1} << 40, std::int64_t{1} << 40});
  EXPECT_EQ(parts.refusal(), "tensor 4: 1099511627776 x 1099511627776" + rule);
  parts.tensors[4] = {std::int64_t{1} << 59, 1};  // the others have some area too
  EXPECT_EQ(parts.refusal(), "tensor 4: 576460752303423488 x 1" + rule);
  parts.tensors[4].width -= 24 + 24 + 20 + 30;
  EXPECT_EQ(parts.refusal(), "accepted");
}

TEST(Problem, RefusesBadHardware) {
  Parts parts;
  parts.hardware.fastMemoryCapacity = 0;
  EXPECT_EQ(parts.refusal(), "fast_memory_capacity: must be positive");
  parts = {};
  for (const double bandwidth :
       {0.0, -1.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
    parts.hardware.slowMemoryBandwidth = bandwidth;
    EXPECT_EQ(parts.refusal(), "slow_memory_bandwidth: must be positive, from 1e-100 to 1e100");
  }
  parts = {};
  parts.hardware.nativeHeight = 0;
  EXPECT_EQ(parts.refusal(), "native_granularity: both entries must be positive");
  parts = {};
  parts.hardware.nativeWidth = -4;
  EXPECT_EQ(parts.refusal(), "native_granularity: both entries must be positive");
}

TEST(Problem, RefusesBadCosts) {
  Parts parts;
  for (const double cost : {-1.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
    parts.ops[1].baseCost = cost;
    EXPECT_EQ(parts.refusal(), "op 1: the base cost must be from 0 to 1e100");
  }
  parts.ops[1].baseCost = 0;
  EXPECT_EQ(parts.refusal(), "accepted");
}

TEST(Problem, RefusesUnknownTensors) {
  Parts parts;
  parts.ops[0].inputs[0] = TensorId(4);
  EXPECT_EQ(parts.refusal(), "op 0: input 4 is not a tensor; there are 4");
  parts = {};
  parts.ops[1].output = TensorId(-1);
  EXPECT_EQ(parts.refusal(), "op 1: output -1 is not a tensor; there are 4");
}

TEST(Problem, RefusesNoOpAndWrongInputCounts) {
  Parts parts;
  parts.ops.clear();
  EXPECT_EQ(parts.refusal(), "the problem has no op");
  parts = {};
  parts.ops[1].inputs = tensors({1, 2, 2});
  EXPECT_EQ(parts.refusal(), "op 1: a MatMul takes exactly two inputs, not 3");
  parts = {};
  parts.ops[0].inputs.clear();
  EXPECT_EQ(parts.refusal(), "op 0: a Pointwise takes at least one input");
}

TEST(Problem, RefusesShapesThatDoNotFit) {
  Parts parts;
  parts.tensors[2].height = 3;
  EXPECT_EQ(parts.refusal(),
            "op 1: a MatMul's LHS has as many columns as its RHS has rows, not 4 and 3");
  parts = {};
  parts.tensors[3] = {6, 5};
  EXPECT_EQ(parts.refusal(), "op 1: a MatMul of these inputs outputs 5 x 6, not 6 x 5");
  parts = {};
  parts.tensors[0] = {6, 4};
  EXPECT_EQ(parts.refusal(),
            "op 0: every input of a Pointwise has its output's shape 4 x 6, but tensor 0 is 6 x 4");
}

TEST(Problem, RefusesTwoProducers) {
  Parts parts;
  parts.ops.push_back(parts.ops[0]);
  EXPECT_EQ(parts.refusal(),
            "tensor 1: produced by op 0 and by op 2; a tensor has at most one producer");
}

TEST(Problem, RefusesCycles) {
  Parts parts;
  parts.ops[0].inputs = tensors({0, 1});
  EXPECT_EQ(parts.refusal(), "op 0: depends on its own output; the ops must form a DAG");
  // A cycle that no output depends on.
  parts = {};
  parts.tensors.push_back({4, 6});
  parts.tensors.push_back({4, 6});
  parts.ops.push_back({OpType::kPointwise, 1, tensors({5}), TensorId(4)});
  parts.ops.push_back({OpType::kPointwise, 1, tensors({4}), TensorId(5)});
  EXPECT_THAT(parts.refusal(),
              testing::MatchesRegex("op [23]: depends on its own output; the ops must form a DAG"));
}

TEST(Graph, ListsConsumersOnceInOrder) {
  ProblemBuilder b;
  const TensorId x = b.tensor(4, 4);
  const TensorId y = b.pointwise({x, x});
  b.matMul(x, x);
  b.pointwise({y, x, y});
  const Problem problem = b.build();
  EXPECT_THAT(problem.graph().consumers(x), ElementsAreArray(ops({0, 1, 2})));
  EXPECT_THAT(problem.graph().consumers(y), ElementsAreArray(ops({2})));
  EXPECT_EQ(problem.graph().producer(y), OpId(0));
  EXPECT_FALSE(problem.graph().producer(x).valid());
}

TEST(Graph, OrdersProducersFirst) {
  // Listed consumers first: op 0 takes what op 1 makes, and so on.
  constexpr std::int32_t kOps = 50;
  std::vector<Op> list;
  for (std::int32_t o = 0; o < kOps; ++o) {
    list.push_back({OpType::kPointwise, 1, {TensorId(o + 1)}, TensorId(o)});
  }
  const Problem problem(std::vector<Tensor>(kOps + 1, {2, 2}), list, {100, 1, 2, 2});
  const auto order = problem.graph().topologicalOrder();
  ASSERT_EQ(order.size(), static_cast<std::size_t>(kOps));
  for (std::int32_t i = 0; i < kOps; ++i) {
    EXPECT_EQ(order[static_cast<std::size_t>(i)], OpId(kOps - 1 - i));
    EXPECT_EQ(problem.graph().position(OpId(i)), kOps - 1 - i);
  }
}

TEST(Graph, AChainOfAMillionOpsNeedsNoStack) {
  constexpr std::int32_t kOps = 1'000'000;
  std::vector<Op> list;
  list.reserve(kOps);
  for (std::int32_t o = 0; o < kOps; ++o) {
    list.push_back({OpType::kPointwise, 1, {TensorId(o)}, TensorId(o + 1)});
  }
  const Problem problem(std::vector<Tensor>(kOps + 1, {1, 1}), std::move(list), {100, 1, 2, 2});
  EXPECT_EQ(problem.graph().topologicalOrder().back(), OpId(kOps - 1));
}

TEST(Graph, AnOpMayHaveAMillionInputs) {
  constexpr std::int32_t kInputs = 1'000'000;
  Op op;
  for (std::int32_t t = 0; t < kInputs; ++t) op.inputs.emplace_back(t);
  op.inputs.insert(op.inputs.end(), 1000, TensorId(7));  // one of them many times
  op.output = TensorId(kInputs);
  const auto start = std::chrono::steady_clock::now();
  const Problem problem(std::vector<Tensor>(kInputs + 1, {1, 1}), {op}, {100, 1, 2, 2});
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  EXPECT_THAT(problem.graph().consumers(TensorId(7)), ElementsAreArray(ops({0})));
  EXPECT_LT(seconds.count(), 10) << "linear work takes milliseconds";
}

}  // namespace
}  // namespace tilebeam::test
