#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "support/program_fixture.h"

namespace tilebeam::test {
namespace {

using nlohmann::json;
using testing::MatchesRegex;
using testing::StartsWith;

class Solve : public ProgramTest {
 protected:
  std::string generated(const char* kind, int ops) const {
    const std::string problem = path(std::string(kind) + ".json");
    const RunResult result =
        tilebeam({"generate", kind, "--ops", std::to_string(ops), "--seed", "7", "-o", problem});
    EXPECT_EQ(result.exitCode, 0) << result.err;
    return problem;
  }

  json evaluated(const std::string& problem, const std::string& schedule) const {
    return json::parse(tilebeam({"evaluate", problem, schedule, "--json"}).out);
  }

  // One MatMul whose smallest tile takes three elements.
  std::string matMul(const char* capacity) const {
    return file("matmul.json", R"({"widths": [8, 8, 8], "heights": [8, 8, 8],
      "op_types": ["MatMul"], "inputs": [[0, 1]], "outputs": [[2]], "base_costs": [100],
      "slow_memory_bandwidth": 10, "native_granularity": [8, 8],
      "fast_memory_capacity": )" + std::string(capacity) +
                                   "}");
  }
};

TEST_F(Solve, ScheduleToStdoutSummaryToStderr) {
  const std::string problem = file("p.json", kDiamond);
  const RunResult result = tilebeam({"solve", problem, "--time-limit", "0.5"});
  EXPECT_EQ(result.exitCode, 0);
  const std::string summary = result.err.substr(result.err.rfind("tilebeam: "));
  EXPECT_THAT(summary,
              MatchesRegex("tilebeam: " + problem +
                           ": latency [0-9.]+, bound [0-9.]+, gap [0-9.]+ %, [0-9]+ steps, "
                           "[0-9.]+ s\n"));
  const json evaluation = evaluated(problem, file("s.json", result.out));
  EXPECT_EQ(evaluation["valid"], true);
  EXPECT_EQ(evaluation["warnings"], json::array());
}

TEST_F(Solve, ScheduleToAFileLeavesStdoutEmpty) {
  const std::string problem = file("p.json", kDiamond);
  const RunResult result = tilebeam({"solve", problem, "--max-rounds", "1", "-o", path("s.json")});
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(evaluated(problem, path("s.json"))["valid"], true);
  EXPECT_EQ(entries(), 2U);
}

TEST_F(Solve, FileAndStdoutGetTheSameBytes) {
  const std::string problem = generated("transformer", 30);
  tilebeam({"solve", problem, "--max-rounds", "1", "-o", path("s.json")});
  EXPECT_EQ(tilebeam({"solve", problem, "--max-rounds", "1"}).out, contentOf(path("s.json")));
}

TEST_F(Solve, SameBytesAtAnyNumberOfThreads) {
  const std::string problem = generated("transformer", 40);
  const std::string first = tilebeam({"solve", problem, "--max-rounds", "2", "--threads", "1"}).out;
  EXPECT_NE(first, "");
  for (const char* const threads : {"2", "8"}) {
    EXPECT_EQ(tilebeam({"solve", problem, "--max-rounds", "2", "--threads", threads}).out, first);
  }
}

TEST_F(Solve, DepthIsHandedOn) {
  const std::string problem = generated("transformer", 10);
  const RunResult result = tilebeam({"solve", problem, "--max-rounds", "1", "--depth", "full"});
  const std::string schedule = file("s.json", result.out);
  const RunResult evaluation =
      tilebeam({"evaluate", problem, schedule, "--json", "--depth", "full"});
  EXPECT_EQ(evaluation.err, "") << "its own claims hold under the same reading";
}

TEST_F(Solve, Statistics) {
  const std::string problem = file("p.json", kDiamond);
  const RunResult result = tilebeam({"solve",        problem,
                                     "--stats",      path("stats.json"),
                                     "-o",           path("s.json"),
                                     "--max-rounds", "3",
                                     "--threads",    "2",
                                     "--beam-width", "5",
                                     "--grain-size", "6",
                                     "--tokens",     "7",
                                     "--window",     "8",
                                     "--depth",      "full"});
  ASSERT_EQ(result.exitCode, 0) << result.err;
  const json statistics = json::parse(contentOf(path("stats.json")));
  EXPECT_EQ(statistics["options"],
            json::parse(R"({"threads": 2, "time_limit": null, "max_rounds": 3, "beam_width": 5,
                            "grain_size": 6, "tokens": 7, "window": 8, "depth": "full", "without": [],
                            "prove": false})"));
  for (const char* const key :
       {"version", "arguments", "problem", "ops", "tensors", "status", "total_latency", "bound",
        "gap", "steps", "counters", "timings", "peak_memory_bytes", "incumbents"}) {
    EXPECT_TRUE(statistics.contains(key)) << key;
  }
  EXPECT_EQ(statistics["arguments"][1], "solve");
  EXPECT_GT(statistics["peak_memory_bytes"], 1 << 20);
  ASSERT_FALSE(statistics["incumbents"].empty());
  EXPECT_EQ(statistics["incumbents"].back()["latency"], statistics["total_latency"]);
}

TEST_F(Solve, AGivenTimeLimitHoldsBesideMaxRounds) {
  tilebeam({"solve", file("p.json", kDiamond), "--stats", path("stats.json"), "-o", path("s.json"),
            "--max-rounds", "1", "--time-limit", "5"});
  EXPECT_EQ(json::parse(contentOf(path("stats.json")))["options"]["time_limit"], 5);
}

TEST_F(Solve, InfeasibleProblem) {
  const std::string problem = matMul("2");
  const std::string schedule = file("s.json", "untouched");
  const RunResult result = tilebeam({"solve", problem, "-o", schedule, "--time-limit", "1"});
  EXPECT_EQ(result.exitCode, 4);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, StartsWith("tilebeam: error: " + problem + ": op 0"));
  EXPECT_EQ(contentOf(schedule), "untouched");
  EXPECT_EQ(mlsys({problem, schedule}).exitCode, 4);
  EXPECT_EQ(tilebeam({"solve", matMul("3"), "--time-limit", "1"}).exitCode, 0);
}

TEST_F(Solve, UnwritableOutput) {
  const std::string problem = file("p.json", kDiamond);
  const auto expectRefused = [&](const std::string& output, const char* reason) {
    for (const char* const option : {"-o", "--stats"}) {
      const RunResult result =
          tilebeam({"solve", problem, "--quiet", "--max-rounds", "1", option, output});
      EXPECT_EQ(result.exitCode, 5) << output;
      EXPECT_EQ(result.err, "tilebeam: error: " + output + ": cannot be written: " + reason + "\n");
    }
  };
  expectRefused(path("none/s.json"), "No such file or directory");
  expectRefused(path(""), "Is a directory");
  expectRefused("/dev/full", "No space left on device");
  EXPECT_EQ(mlsys({problem, path("none/s.json")}).exitCode, 5);
  EXPECT_EQ(entries(), 1U);
}

TEST_F(Solve, UnwritableOutputEndsTheSearch) {
  const RunResult result = tilebeam(
      {"solve", generated("transformer", 60), "--time-limit", "50", "-o", path("none/s.json")});
  EXPECT_EQ(result.exitCode, 5);
}

TEST_F(Solve, ADeviceIsWrittenOnce) {
  const std::string problem = generated("transformer", 20);
  const RunResult result = tilebeam({"solve", problem, "--max-rounds", "1", "-o", "/dev/stdout"});
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_TRUE(json::accept(result.out));
  EXPECT_EQ(tilebeam({"solve", problem, "--max-rounds", "1", "-o", "/dev/null"}).exitCode, 0);
}

TEST_F(Solve, FullDiskOnStdout) {
  const RunResult result =
      tilebeam({"solve", file("p.json", kDiamond), "--max-rounds", "1", "--quiet"},
               {.stdoutPath = "/dev/full", .closeStdout = false});
  EXPECT_EQ(result.exitCode, 5);
  EXPECT_EQ(result.err,
            "tilebeam: error: /dev/stdout: cannot be written: No space left on device\n");
}

}  // namespace
}  // namespace tilebeam::test
