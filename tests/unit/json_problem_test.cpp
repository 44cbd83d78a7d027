#include <gtest/gtest.h>

#include "support/json_samples.h"
#include "tilebeam/json_io.h"

namespace tilebeam::test {
namespace {

TEST(JsonProblem, ReadsEveryField) {
  const Problem problem = parseProblem(R"({
    "widths": [32, 16, 16], "heights": [8, 32, 8], "op_types": ["MatMul"],
    "inputs": [[0, 1]], "outputs": [[2]], "base_costs": [1.5],
    "fast_memory_capacity": 4096, "slow_memory_bandwidth": 2.25, "native_granularity": [128, 64]})");
  ASSERT_EQ(problem.tensorCount(), 3U);
  EXPECT_EQ(problem.tensor(TensorId(0)), (Tensor{32, 8}));
  EXPECT_EQ(problem.tensor(TensorId(1)), (Tensor{16, 32}));
  ASSERT_EQ(problem.opCount(), 1U);
  const Op& op = problem.op(OpId(0));
  EXPECT_TRUE(op.isMatMul());
  EXPECT_EQ(op.inputs, (std::vector{TensorId(0), TensorId(1)}));
  EXPECT_EQ(op.output, TensorId(2));
  EXPECT_EQ(op.baseCost, 1.5);
  EXPECT_EQ(problem.hardware().fastMemoryCapacity, 4096);
  EXPECT_EQ(problem.hardware().slowMemoryBandwidth, 2.25);
  EXPECT_EQ(problem.hardware().nativeWidth, 128);
  EXPECT_EQ(problem.hardware().nativeHeight, 64);
}

TEST(JsonProblem, IntegralRealsAreIntegers) {
  std::string text = replaced(kDiamond, "[128, 128, 128, 128]", "[128.0, 1.28e2, 128, 12800E-2]");
  text = replaced(text, "50000", "5e4");
  text = replaced(text, "[[0], [1]", "[[-0.0], [1.0]");
  const Problem problem = parseProblem(text);
  EXPECT_EQ(problem.tensor(TensorId(3)).width, 128);
  EXPECT_EQ(problem.hardware().fastMemoryCapacity, 50000);
  EXPECT_EQ(problem.op(OpId(0)).inputs[0], TensorId(0));
}

// Bends the diamond at one place and says how it must be refused.
struct Bend {
  const char* from;
  const char* to;
  const char* message;
};

class JsonProblemRefusal : public testing::TestWithParam<Bend> {};

TEST_P(JsonProblemRefusal, NamesPlaceAndRule) {
  const Bend& bend = GetParam();
  EXPECT_EQ(refusal(parseProblem, replaced(kDiamond, bend.from, bend.to)), bend.message);
}

INSTANTIATE_TEST_SUITE_P(
    Types, JsonProblemRefusal,
    testing::Values(
        Bend{"[128, 128, 128, 128]", "[128, 128.5, 128, 128]",
             "widths[1]: must be an integer, not 128.5"},
        Bend{"[128, 128, 128, 128]", "[128, 128, \"128\", 128]",
             "widths[2]: must be an integer, not a string"},
        Bend{"[128, 128, 128, 128]", "[128, 128, null, 128]",
             "widths[2]: must be an integer, not null"},
        Bend{"[128, 128, 128, 128]", "[128, true, 128, 128]",
             "widths[1]: must be an integer, not a boolean"},
        Bend{"[128, 128, 128, 128]", "[128, [128], 128, 128]",
             "widths[1]: must be an integer, not a list"},
        Bend{"[128, 128, 128, 128]", "[128, {}, 128, 128]",
             "widths[1]: must be an integer, not an object"},
        Bend{"[128, 128, 128, 128]", "128", "widths: must be a list of integers, not a number"},
        Bend{"[128, 128, 128, 128]", "null", "widths: must be a list of integers, not null"},
        Bend{"[128, 128, 128, 128]", "{}", "widths: must be a list of integers, not an object"},
        Bend{"[[0], [1], [1, 2]]", "[0, 1, 2]",
             "inputs[0]: must be a list of integers, not a number"},
        Bend{"[[0], [1], [1, 2]]", "[[0], [1], [1, \"2\"]]",
             "inputs[2][1]: must be an integer, not a string"},
        Bend{"[[0], [1], [1, 2]]", "[[0], [1], [1, [2]]]",
             "inputs[2][1]: must be an integer, not a list"},
        Bend{"[[0], [1], [1, 2]]", "7",
             "inputs: must be a list of lists of integers, not a number"},
        Bend{"[1500, 1500, 1500]", "[1500, \"1500\", 1500]",
             "base_costs[1]: must be a number, not a string"},
        Bend{"\"Pointwise\", \"Pointwise\"", "\"Pointwise\", \"pointwise\"",
             "op_types[1]: must be \"MatMul\" or \"Pointwise\", not \"pointwise\""},
        Bend{"\"Pointwise\", \"Pointwise\"", "\"Pointwise\", 3",
             "op_types[1]: must be a name, not a number"},
        Bend{"50000", "[50000]", "fast_memory_capacity: must be an integer, not a list"},
        Bend{"\"slow_memory_bandwidth\": 10", "\"slow_memory_bandwidth\": \"10\"",
             "slow_memory_bandwidth: must be a number, not a string"}));

INSTANTIATE_TEST_SUITE_P(
    Ranges, JsonProblemRefusal,
    testing::Values(
        Bend{"50000", "9223372036854775808",
             "fast_memory_capacity: must be an integer of 64 bits, not 9223372036854775808"},
        Bend{"50000", "-9223372036854775809",
             "fast_memory_capacity: must be an integer of 64 bits, not -9223372036854775809"},
        Bend{"50000", "18446744073709551616",
             "fast_memory_capacity: must be an integer of 64 bits, not 18446744073709551616"},
        Bend{"50000", "1e17", "fast_memory_capacity: must be an integer of 64 bits, not 1e17"},
        Bend{"[1500, 1500, 1500]", "[1500, 1e999, 1500]", "base_costs[1]: the number is too large"},
        Bend{"[1500, 1500, 1500]", "[1500, -1e999, 1500]",
             "base_costs[1]: the number is too large"},
        Bend{"[[0], [1], [1, 2]]", "[[0], [1], [1, 4]]",
             "inputs[2][1]: 4 is not a tensor; there are 4"},
        Bend{"[[0], [1], [1, 2]]", "[[0], [1], [1, -1]]",
             "inputs[2][1]: -1 is not a tensor; there are 4"},
        Bend{"[[0], [1], [1, 2]]", "[[0], [1], [1, 4294967296]]",
             "inputs[2][1]: 4294967296 is not a tensor; there are 4"},
        Bend{"[[1], [2], [3]]", "[[1], [2], [9]]",
             "outputs[2][0]: 9 is not a tensor; there are 4"}));

INSTANTIATE_TEST_SUITE_P(
    Lengths, JsonProblemRefusal,
    testing::Values(
        Bend{"[128, 128, 128, 128]", "[128, 128, 128]",
             "heights: must have as many entries as widths, 3, not 4"},
        Bend{"[1500, 1500, 1500]", "[1500, 1500]",
             "base_costs: must have as many entries as op_types, 3, not 2"},
        Bend{"[[0], [1], [1, 2]]", "[]", "inputs: must have as many entries as op_types, 3, not 0"},
        Bend{"[[1], [2], [3]]", "[[1], [2], [3], [3]]",
             "outputs: must have as many entries as op_types, 3, not 4"},
        Bend{"[[1], [2], [3]]", "[[1], [2], []]",
             "outputs[2]: an op has exactly one output, not 0"},
        Bend{"[[1], [2], [3]]", "[[1], [2, 3], [3]]",
             "outputs[1]: an op has exactly one output, not 2"},
        Bend{"[128, 128]\n", "[128]\n", "native_granularity: must be two integers, not 1"},
        Bend{"[128, 128]\n", "[128, 128, 128]\n",
             "native_granularity: must be two integers, not 3"}));

TEST(JsonProblem, EveryKeyIsRequired) {
  for (const char* const key :
       {"widths", "heights", "op_types", "inputs", "outputs", "base_costs", "fast_memory_capacity",
        "slow_memory_bandwidth", "native_granularity"}) {
    const std::string quoted = "\"" + std::string(key) + "\"";
    EXPECT_EQ(refusal(parseProblem, replaced(kDiamond, quoted, "\"other\"")),
              std::string(key) + ": the key is missing");
  }
}

// The rules of well-formed problems are Problem's own; that they are reached is all that is seen
// here.
TEST(JsonProblem, MalformedProblemsAreRefused) {
  const auto message = [](const char* from, const char* to) {
    return refusal(parseProblem, replaced(kDiamond, from, to));
  };
  EXPECT_NE(message("[128, 128, 128, 128]", "[128, 0, 128, 128]"), "accepted");
  EXPECT_NE(message("[128, 128, 128, 128]", "[128, -1, 128, 128]"), "accepted");
  EXPECT_NE(message("[128, 128, 128, 128]", "[128, 9223372036854775807, 128, 128]"), "accepted");
  EXPECT_NE(message("[128, 128, 128, 128]", "[128, 64, 128, 128]"), "accepted");
  EXPECT_NE(message("[1500, 1500, 1500]", "[1500, -1, 1500]"), "accepted");
  EXPECT_NE(message("50000", "0"), "accepted");
  EXPECT_NE(message("[[0], [1], [1, 2]]", "[[3], [1], [1, 2]]"), "accepted");
  EXPECT_NE(message("[[1], [2], [3]]", "[[1], [2], [2]]"), "accepted");
}

TEST(JsonProblem, EmptyGraphIsRefused) {
  EXPECT_NE(refusal(parseProblem, R"({"widths": [], "heights": [], "op_types": [], "inputs": [],
      "outputs": [], "base_costs": [], "fast_memory_capacity": 1, "slow_memory_bandwidth": 1,
      "native_granularity": [1, 1]})"),
            "accepted");
}

}  // namespace
}  // namespace tilebeam::test
