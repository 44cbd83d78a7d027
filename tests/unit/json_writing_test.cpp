#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "simulator/json_text.h"
#include "support/json_samples.h"
#include "tilebeam/json_io.h"

namespace tilebeam::test {
namespace {

std::string number(double value) {
  std::string text;
  json::appendNumber(text, value);
  return text;
}

TEST(JsonNumber, IntegralValuesHaveNoFraction) {
  EXPECT_EQ(number(0), "0");
  EXPECT_EQ(number(3000), "3000");
  EXPECT_EQ(number(-7), "-7");
  EXPECT_EQ(number(1e15), "1000000000000000");
}

TEST(JsonNumber, IsShortest) {
  EXPECT_EQ(number(3276.8), "3276.8");
  EXPECT_EQ(number(0.1), "0.1");
  EXPECT_EQ(number(1e300), "1e+300");
}

TEST(JsonNumber, WhatIsNotFiniteIsNull) {
  EXPECT_EQ(number(HUGE_VAL), "null");
  EXPECT_EQ(number(NAN), "null");
}

TEST(JsonNumber, RoundTrips) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-300, 300);
  for (int i = 0; i < 10000; ++i) {
    const double value = std::pow(10, exponent(random));
    EXPECT_EQ(std::stod(number(value)), value);
  }
}

TEST(WriteProblem, RoundTrips) {
  const std::string text = replaced(kDiamond, "1500, 1500]", "0.1, 1e-9]");
  const std::string written = writeProblem(parseProblem(text));
  EXPECT_EQ(writeProblem(parseProblem(written)), written);
  EXPECT_EQ(parseProblem(written).op(OpId(1)).baseCost, 0.1);
  EXPECT_EQ(parseProblem(written).op(OpId(2)).baseCost, 1e-9);
}

TEST(WriteProblem, OneLinePerOpAndList) {
  const std::string written = writeProblem(parseProblem(kDiamond));
  EXPECT_EQ(written, R"({
  "widths": [128, 128, 128, 128],
  "heights": [128, 128, 128, 128],
  "op_types": ["Pointwise", "Pointwise", "Pointwise"],
  "inputs": [
    [0],
    [1],
    [1, 2]
  ],
  "outputs": [
    [1],
    [2],
    [3]
  ],
  "base_costs": [1500, 1500, 1500],
  "fast_memory_capacity": 50000,
  "slow_memory_bandwidth": 10,
  "native_granularity": [128, 128]
}
)");
}

class WriteSchedule : public testing::Test {
 protected:
  // The last line of traversal_orders.
  std::string orderText(Traversal traversal, Granularity granularity = {64, 64, 1}) const {
    Schedule schedule;
    schedule.steps.push_back({.ops = {OpId(0), OpId(1), OpId(2)},
                              .granularity = granularity,
                              .retained = {},
                              .traversal = std::move(traversal),
                              .reportedLatency = {}});
    const std::string text = writeSchedule(problem_, schedule, {1});
    const std::size_t start = text.find("[\n", text.find("traversal_orders")) + 6;
    return text.substr(start, text.find('\n', start) - start);
  }

  Problem problem_ = parseProblem(kDiamond);
};

TEST_F(WriteSchedule, RoundTrips) {
  const Schedule schedule = parseSchedule(kDiamondSchedule);
  const std::string written = writeSchedule(problem_, schedule, {3000, 3276.8});
  EXPECT_EQ(written, R"({
  "subgraphs": [
    [0, 1],
    [0, 2]
  ],
  "granularities": [
    [128, 128, 1],
    [128, 128, 1]
  ],
  "tensors_to_retain": [
    [2],
    []
  ],
  "traversal_orders": [
    null,
    null
  ],
  "subgraph_latencies": [
    3000,
    3276.8
  ]
}
)");
  EXPECT_EQ(writeSchedule(problem_, parseSchedule(written), {3000, 3276.8}), written);
}

TEST_F(WriteSchedule, TraversalsAreExplicitButForRaster) {
  EXPECT_EQ(orderText({TraversalKind::kRaster, {}}), "null");
  EXPECT_EQ(orderText({TraversalKind::kRowSnake, {}}), "[0, 1, 3, 2]");
  EXPECT_EQ(orderText({TraversalKind::kColumnSnake, {}}), "[0, 2, 3, 1]");
  EXPECT_EQ(orderText({TraversalKind::kColumnRaster, {}}), "[0, 2, 1, 3]");
  EXPECT_EQ(orderText({TraversalKind::kExplicit, {3, 0, 1, 2}}), "[3, 0, 1, 2]");
}

TEST_F(WriteSchedule, OrdersThatCoincideWithRasterAreNull) {
  EXPECT_EQ(orderText({TraversalKind::kRowSnake, {}}, {64, 128, 1}), "null");
  EXPECT_EQ(orderText({TraversalKind::kColumnSnake, {}}, {128, 64, 1}), "null");
  EXPECT_EQ(orderText({TraversalKind::kRowSnake, {}}, {128, 64, 1}), "null");
  EXPECT_EQ(orderText({TraversalKind::kColumnSnake, {}}, {64, 128, 1}), "null");
  EXPECT_EQ(orderText({TraversalKind::kColumnRaster, {}}, {64, 128, 1}), "null");
}

TEST_F(WriteSchedule, EmptyListsStayLists) {
  const std::string written = writeSchedule(problem_, Schedule{}, {});
  EXPECT_TRUE(parseSchedule(written).steps.empty());
}

TEST_F(WriteSchedule, NeedsOneLatencyPerStep) {
  EXPECT_THROW(writeSchedule(problem_, parseSchedule(kDiamondSchedule), {1}),
               std::invalid_argument);
}

}  // namespace
}  // namespace tilebeam::test
