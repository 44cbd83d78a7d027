#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "support/json_samples.h"
#include "tilebeam/json_io.h"

namespace tilebeam::test {
namespace {

constexpr std::int64_t kMax64 = std::numeric_limits<std::int64_t>::max();

Schedule bent(const char* from, const char* to) {
  return parseSchedule(replaced(kDiamondSchedule, from, to));
}

std::string refusalOf(const char* from, const char* to) {
  return refusal(parseSchedule, replaced(kDiamondSchedule, from, to));
}

TEST(JsonSchedule, ReadsEveryField) {
  const Schedule schedule = bent("[null, null]", "[null, [0]]");
  ASSERT_EQ(schedule.steps.size(), 2U);
  const Step& first = schedule.steps[0];
  EXPECT_EQ(first.ops, (std::vector{OpId(0), OpId(1)}));
  EXPECT_EQ(first.granularity, (Granularity{128, 128, 1}));
  EXPECT_EQ(first.retained, std::vector{TensorId(2)});
  EXPECT_EQ(first.traversal, Traversal{});
  EXPECT_EQ(first.reportedLatency, 3000);
  const Step& second = schedule.steps[1];
  EXPECT_TRUE(second.retained.empty());
  EXPECT_EQ(second.traversal, (Traversal{TraversalKind::kExplicit, {0}}));
  EXPECT_EQ(second.reportedLatency, 3276.8);
}

TEST(JsonSchedule, AnEmptyOrderIsNotRaster) {
  EXPECT_EQ(bent("[null, null]", "[[], null]").steps[0].traversal.kind, TraversalKind::kExplicit);
}

TEST(JsonSchedule, OrdersMayBeMissing) {
  const Schedule schedule = bent("\"traversal_orders\"", "\"other\"");
  EXPECT_EQ(schedule.steps[1].traversal, Traversal{});
}

TEST(JsonSchedule, ClaimsMayBeMissingOrNull) {
  EXPECT_FALSE(bent("\"subgraph_latencies\"", "\"other\"").steps[0].reportedLatency);
  const Schedule schedule = bent("[3000, 3276.8]", "[null, 3276.8]");
  EXPECT_FALSE(schedule.steps[0].reportedLatency);
  EXPECT_EQ(schedule.steps[1].reportedLatency, 3276.8);
}

TEST(JsonSchedule, NoStepsAreAMatterForTheEvaluator) {
  EXPECT_TRUE(parseSchedule(R"({"subgraphs": [], "granularities": [], "tensors_to_retain": []})")
                  .steps.empty());
}

TEST(JsonSchedule, WrongNumbersAreAMatterForTheEvaluator) {
  const Schedule schedule = bent("[128, 128, 1]", "[0, -5, 9223372036854775807]");
  EXPECT_EQ(schedule.steps[0].granularity, (Granularity{0, -5, kMax64}));
  EXPECT_EQ(bent("[null, null]", "[[-1, 9223372036854775807], null]").steps[0].traversal.order,
            (std::vector<std::int64_t>{-1, kMax64}));
  EXPECT_EQ(bent("[[0, 1]", "[[]").steps[0].ops.size(), 0U);
}

// Ids that no problem has stand for them, equal for equal numbers.
TEST(JsonSchedule, IndicesThatNoProblemHasAreKept) {
  const Schedule schedule = bent("[[0, 1]", "[[4294967296, -4294967296, 2147483647, 4294967296]");
  std::vector<std::int64_t> numbers;
  for (const OpId o : schedule.steps[0].ops) {
    EXPECT_GE(o.value(), Schedule::kFirstFar);
    numbers.push_back(schedule.number(o));
  }
  EXPECT_EQ(numbers, (std::vector<std::int64_t>{4294967296, -4294967296, 2147483647, 4294967296}));
  EXPECT_EQ(schedule.steps[0].ops[0], schedule.steps[0].ops[3]);
  EXPECT_NE(schedule.steps[0].ops[0], schedule.steps[0].ops[1]);
  const Schedule negative = bent("[[2]", "[[-2]");
  EXPECT_EQ(negative.number(negative.steps[0].retained[0]), -2);
  EXPECT_EQ(negative.number(negative.steps[0].ops[0]), 0);
}

TEST(JsonSchedule, StructuralFaults) {
  EXPECT_EQ(refusalOf("\"subgraphs\"", "\"other\""), "subgraphs: the key is missing");
  EXPECT_EQ(refusalOf("\"granularities\"", "\"other\""), "granularities: the key is missing");
  EXPECT_EQ(refusalOf("\"tensors_to_retain\"", "\"other\""),
            "tensors_to_retain: the key is missing");
  EXPECT_EQ(refusalOf("[[0, 1], [0, 2]]", "[[0, 1]]"),
            "granularities: must have as many entries as subgraphs, 1, not 2");
  EXPECT_EQ(refusalOf("[[2], []]", "[[2]]"),
            "tensors_to_retain: must have as many entries as subgraphs, 2, not 1");
  EXPECT_EQ(refusalOf("[null, null]", "[]"),
            "traversal_orders: must have as many entries as subgraphs, 2, not 0");
  EXPECT_EQ(refusalOf("[3000, 3276.8]", "[3000]"),
            "subgraph_latencies: must have as many entries as subgraphs, 2, not 1");
}

TEST(JsonSchedule, WrongTypes) {
  EXPECT_EQ(refusalOf("[128, 128, 1]", "[128, 128]"),
            "granularities[0]: must be three integers, not 2");
  EXPECT_EQ(refusalOf("[128, 128, 1]", "[128, 128, 1, 1]"),
            "granularities[0]: must be three integers, not 4");
  EXPECT_EQ(refusalOf("[128, 128, 1]", "[128, 128, 1.5]"),
            "granularities[0][2]: must be an integer, not 1.5");
  EXPECT_EQ(refusalOf("[128, 128, 1]", "null"),
            "granularities[0]: must be a list of integers, not null");
  EXPECT_EQ(refusalOf("[[2], []]", "[[2], null]"),
            "tensors_to_retain[1]: must be a list of integers, not null");
  EXPECT_EQ(refusalOf("[null, null]", "[null, 0]"),
            "traversal_orders[1]: must be a list of integers or null, not a number");
  EXPECT_EQ(refusalOf("[null, null]", "[null, [null]]"),
            "traversal_orders[1][0]: must be an integer, not null");
  EXPECT_EQ(refusalOf("[3000, 3276.8]", "[3000, \"3276.8\"]"),
            "subgraph_latencies[1]: must be a number or null, not a string");
  EXPECT_EQ(refusalOf("[3000, 3276.8]", "[3000, 1e999]"),
            "subgraph_latencies[1]: the number is too large");
}

}  // namespace
}  // namespace tilebeam::test
