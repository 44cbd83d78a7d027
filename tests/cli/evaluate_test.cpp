#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "support/program_fixture.h"

namespace tilebeam::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

class Evaluate : public ProgramTest {
 protected:
  RunResult evaluate(const std::string& schedule, std::vector<std::string> options = {}) const {
    options.insert(options.begin(),
                   {"evaluate", file("p.json", kDiamond), file("s.json", schedule)});
    return tilebeam(options);
  }

  json object(const std::string& schedule) const {
    return json::parse(evaluate(schedule, {"--json"}).out);
  }

  std::string start(const char* kind) const {
    return std::string("tilebeam: ") + kind + ": " + path("s.json") + ": ";
  }
};

TEST_F(Evaluate, JsonOfAValidSchedule) {
  const RunResult result = evaluate(kDiamondSchedule, {"--json"});
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(json::parse(result.out), json::parse(R"({
    "valid": true, "error": null, "total_latency": 6276.8, "warnings": [],
    "steps": [
      {"latency": 3000, "peak_fast_memory": 32768, "compute_time": 3000, "memory_time": 1638.4,
       "loads": 16384, "stores": 0, "ops": [0, 1], "granularity": [128, 128, 1],
       "retained": [2], "stored": [], "tiles": 1, "k_steps": 1,
       "bound_by": "compute", "reported_latency": 3000},
      {"latency": 3276.8, "peak_fast_memory": 49152, "compute_time": 3000, "memory_time": 3276.8,
       "loads": 16384, "stores": 16384, "ops": [0, 2], "granularity": [128, 128, 1],
       "retained": [], "stored": [3], "tiles": 1, "k_steps": 1,
       "bound_by": "memory", "reported_latency": 3276.8}]})"));
}

TEST_F(Evaluate, TableOfAValidSchedule) {
  const RunResult result = evaluate(kDiamondSchedule);
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_EQ(result.out,
            "step  ops      w,h,k  tiles  k-steps  latency  compute  memory  bound by   peak  "
            "retained  stored\n"
            "   0  0,1  128,128,1      1        1     3000     3000  1638.4   compute  32768  "
            "       2       -\n"
            "   1  0,2  128,128,1      1        1   3276.8     3000  3276.8    memory  49152  "
            "       -       3\n"
            "\n"
            "total latency 6276.8, 2 steps, peak 49152 of 50000\n");
}

TEST_F(Evaluate, JsonOfAnInvalidScheduleStopsAtTheOffendingStep) {
  const RunResult result = evaluate(replaced(kDiamondSchedule, "[0, 2]]", "[2, 0]]"), {"--json"});
  EXPECT_EQ(result.exitCode, 1);
  const json object = json::parse(result.out);
  EXPECT_EQ(object["valid"], false);
  EXPECT_EQ(object["total_latency"], nullptr);
  EXPECT_THAT(object["error"].get<std::string>(), StartsWith("step 1: cost model 3.1: "));
  ASSERT_EQ(object["steps"].size(), 1U);
  EXPECT_EQ(object["steps"][0]["latency"], 3000);
  EXPECT_EQ(object["steps"][0]["stored"], json::array());
}

TEST_F(Evaluate, AnInvalidScheduleIsOneLine) {
  const RunResult result = evaluate(replaced(kDiamondSchedule, "[128, 128, 1]", "[0, 128, 1]"));
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, StartsWith(start("error") + "step 0: cost model 3.4: "));
  EXPECT_EQ(result.err.find('\n'), result.err.size() - 1);
}

TEST_F(Evaluate, WrongContentMakesAScheduleInvalid) {
  const auto refused = [&](const char* from, const char* to) {
    const RunResult result = evaluate(replaced(kDiamondSchedule, from, to), {"--json"});
    return result.exitCode == 1 && json::parse(result.out)["valid"] == false;
  };
  EXPECT_TRUE(refused("[[0, 1]", "[[0, 3]"));
  EXPECT_TRUE(refused("[[0, 1]", "[[0, -1]"));
  EXPECT_TRUE(refused("[[0, 1]", "[[0, 9223372036854775807]"));
  EXPECT_TRUE(refused("[[0, 1]", "[[]"));
  EXPECT_TRUE(refused("[[2]", "[[4]"));
  EXPECT_TRUE(refused("[[2]", "[[-1]"));
  EXPECT_TRUE(refused("[[2]", "[[2, 2]"));
  EXPECT_TRUE(refused("[null,", "[[],"));
  EXPECT_TRUE(refused("[null,", "[[1],"));
  EXPECT_TRUE(refused("[null,", "[[0, 0],"));
  EXPECT_TRUE(refused("[128, 128, 1]", "[-1, 128, 1]"));
  EXPECT_TRUE(refused("[128, 128, 1]", "[129, 128, 1]"));
  EXPECT_FALSE(refused("[128, 128, 1]", "[128, 128, -7]"));  // no MatMul: k is ignored
  EXPECT_FALSE(refused("[null,", "[[0],"));
}

TEST_F(Evaluate, NoStepsCoverNothing) {
  const RunResult result =
      evaluate(R"({"subgraphs": [], "granularities": [], "tensors_to_retain": []})", {"--json"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_EQ(json::parse(result.out)["steps"], json::array());
}

TEST_F(Evaluate, AWrongClaimIsAWarning) {
  const RunResult result = evaluate(replaced(kDiamondSchedule, "[3000,", "[2999,"), {"--json"});
  EXPECT_EQ(result.exitCode, 0);
  const std::string warning = "step 0: reports latency 2999, but takes 3000";
  EXPECT_EQ(result.err, start("warning") + warning + "\n");
  const json object = json::parse(result.out);
  EXPECT_EQ(object["valid"], true);
  EXPECT_EQ(object["warnings"], json::array({warning}));
  EXPECT_EQ(object["steps"][0]["reported_latency"], 2999);
  EXPECT_THAT(evaluate(replaced(kDiamondSchedule, "[3000,", "[2999,")).err, HasSubstr(warning));
}

TEST_F(Evaluate, ClaimsHaveATolerance) {
  EXPECT_EQ(evaluate(replaced(kDiamondSchedule, "[3000,", "[3000.0029,")).err, "");
  EXPECT_NE(evaluate(replaced(kDiamondSchedule, "[3000,", "[3000.0031,")).err, "");
  EXPECT_NE(evaluate(replaced(kDiamondSchedule, "[3000,", "[2999.9969,")).err, "");
}

TEST_F(Evaluate, NoClaimIsNoWarning) {
  const json object = this->object(replaced(kDiamondSchedule, "[3000,", "[null,"));
  EXPECT_EQ(object["warnings"], json::array());
  EXPECT_EQ(object["steps"][0]["reported_latency"], nullptr);
}

TEST_F(Evaluate, ManyWarningsAreCutShortOnStderrAlone) {
  std::string subgraphs, granularities, retained, claims;
  for (int i = 0; i < 30; ++i) {
    const std::string comma = i == 0 ? "" : ", ";
    subgraphs += comma + "[0, 1, 2]";
    granularities += comma + "[128, 128, 1]";
    retained += comma + "[]";
    claims += comma + "1";
  }
  const RunResult result = evaluate("{\"subgraphs\": [" + subgraphs + "], \"granularities\": [" +
                                        granularities + "], \"tensors_to_retain\": [" + retained +
                                        "], \"subgraph_latencies\": [" + claims + "]}",
                                    {"--json"});
  EXPECT_THAT(result.err, HasSubstr(": 20 more warnings of this kind\n"));
  EXPECT_EQ(json::parse(result.out)["warnings"].size(), 30U);
}

TEST_F(Evaluate, DepthChangesTheReading) {
  const std::string problem = file("matmul.json", R"({
    "widths": [256, 64, 64], "heights": [64, 256, 64], "op_types": ["MatMul"],
    "inputs": [[0, 1]], "outputs": [[2]], "base_costs": [100000], "fast_memory_capacity": 50000,
    "slow_memory_bandwidth": 10, "native_granularity": [128, 128]})");
  const std::string schedule = file("s.json", R"({"subgraphs": [[0]],
    "granularities": [[64, 64, 128]], "tensors_to_retain": [[]]})");
  const auto total = [&](const char* depth) {
    const auto result = tilebeam({"evaluate", problem, schedule, "--json", "--depth", depth});
    return json::parse(result.out)["total_latency"];
  };
  EXPECT_EQ(total("native"), 200000);
  EXPECT_EQ(total("full"), 100000);
}

TEST_F(Evaluate, FullDiskAndClosedStdout) {
  const std::vector<std::string> arguments{"evaluate", file("p.json", kDiamond),
                                           file("s.json", kDiamondSchedule)};
  const RunResult full = tilebeam(arguments, {.stdoutPath = "/dev/full", .closeStdout = false});
  EXPECT_EQ(full.exitCode, 5);
  EXPECT_EQ(full.err, "tilebeam: error: /dev/stdout: cannot be written: No space left on device\n");
  const RunResult closed = tilebeam(arguments, {.stdoutPath = "", .closeStdout = true});
  EXPECT_EQ(closed.exitCode, 5);
  EXPECT_EQ(closed.err, "tilebeam: error: /dev/stdout: cannot be written: Bad file descriptor\n");
}

}  // namespace
}  // namespace tilebeam::test
