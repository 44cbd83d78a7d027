#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>

#include "support/paths.h"
#include "support/suite_fixture.h"

namespace tilebeam::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::StartsWith;

using Suite = SuiteTest;

const char* const kInfeasible = R"({"widths": [8, 8, 8], "heights": [8, 8, 8],
  "op_types": ["MatMul"], "inputs": [[0, 1]], "outputs": [[2]], "base_costs": [100],
  "slow_memory_bandwidth": 10, "native_granularity": [8, 8], "fast_memory_capacity": 2})";

TEST_F(Suite, TableInNaturalOrder) {
  const RunResult result = suite({});
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("problem  ops"));
  EXPECT_LT(result.out.find("p1 "), result.out.find("p2 "));
  EXPECT_LT(result.out.find("p2 "), result.out.find("p10 "));
  EXPECT_THAT(result.err, ContainsRegex("tilebeam: 3 problems solved, 0 failed, [0-9.]+ s\n"));
}

TEST_F(Suite, RowsAgreeWithSolve) {
  ASSERT_EQ(suite({"--csv", path("r.csv"), "--json", path("r.json")}).exitCode, 0);
  const auto results = json("r.json");
  EXPECT_EQ(results["solved"], 3);
  EXPECT_EQ(results["score"], nullptr);
  ASSERT_EQ(results["problems"].size(), 3U);
  const auto row = results["problems"][2];
  tilebeam({"solve", path("problems/p10.json"), "--max-rounds", "1", "-o", path("s.json"),
            "--stats", path("stats.json")});
  const auto statistics = json("stats.json");
  EXPECT_EQ(row["problem"], "p10");
  EXPECT_EQ(row["latency"], statistics["total_latency"]);
  for (const char* const key : {"ops", "bound", "gap", "steps", "status"}) {
    EXPECT_EQ(row[key], statistics[key]) << key;
  }
  EXPECT_THAT(contentOf(path("r.csv")),
              StartsWith("problem,ops,latency,bound,gap,steps,seconds,status,baseline,ratio,error\n"
                         "p1,4," +
                         results["problems"][0]["latency"].dump() + ","));
}

TEST_F(Suite, AFailingProblemIsNoEnd) {
  file("problems/p1.json", kInfeasible);
  file("problems/p2.json", "{}");
  const RunResult result = suite({"--json", path("r.json")});
  EXPECT_EQ(result.exitCode, 4) << "the first failure's";
  EXPECT_THAT(result.err, HasSubstr("tilebeam: error: " + path("problems/p1.json") + ": op 0"));
  EXPECT_THAT(result.err, HasSubstr("tilebeam: error: " + path("problems/p2.json") + ": widths"));
  EXPECT_THAT(result.err, HasSubstr("1 problem solved, 2 failed"));
  const auto rows = json("r.json")["problems"];
  EXPECT_EQ(rows[0]["status"], "infeasible");
  EXPECT_EQ(rows[1]["status"], "malformed");
  for (const char* const key : {"ops", "latency", "bound", "gap", "steps"}) {
    EXPECT_EQ(rows[1][key], nullptr) << key;
  }
  EXPECT_GT(rows[2]["latency"], 0);
  EXPECT_EQ(suite({}, "problems/p2.json").exitCode, 3);
  EXPECT_EQ(suite({}, "problems/none.json").exitCode, 3);
}

TEST_F(Suite, JobsChangeNoResult) {
  suite({"--csv", path("one.csv"), "--output-dir", path("one")});
  suite({"--csv", path("two.csv"), "--output-dir", path("two"), "--jobs", "3"});
  EXPECT_EQ(csv("one.csv"), csv("two.csv"));
  for (const char* const name : {"/p1.json", "/p2.json", "/p10.json"}) {
    const std::string schedule = path(std::string("one") + name);
    EXPECT_EQ(contentOf(schedule), contentOf(path(std::string("two") + name)));
    EXPECT_EQ(tilebeam({"evaluate", path(std::string("problems") + name), schedule}).exitCode, 0);
  }
}

TEST_F(Suite, BaselineRatiosAndScore) {
  ASSERT_EQ(suite({"--csv", path("first.csv"), "--json", path("first.json")}).exitCode, 0);
  for (const char* const baseline : {"first.csv", "first.json"}) {
    const RunResult same = suite({"--baseline", path(baseline)});
    EXPECT_THAT(same.out, HasSubstr("\nscore 1.0000, the geometric mean of baseline / latency "
                                    "over 3 of 3 problems\n"));
  }
  const double latency = json("first.json")["problems"][0]["latency"].get<double>();
  file("plain.csv", "p1.json," + std::to_string(4 * latency) + "\nother,7\n");
  const RunResult result = suite({"--baseline", path("plain.csv"), "--json", path("r.json")});
  EXPECT_THAT(result.out, HasSubstr("score 4.0000"));
  EXPECT_NEAR(json("r.json")["problems"][0]["ratio"].get<double>(), 4, 1e-6);
  EXPECT_EQ(json("r.json")["problems"][1]["ratio"], nullptr);
}

TEST_F(Suite, MalformedBaselines) {
  const auto refusal = [&](const std::string& content) {
    const RunResult result = suite({"--baseline", file("b", content)});
    EXPECT_EQ(result.exitCode, 3) << content;
    return result.err;
  };
  EXPECT_THAT(refusal("p1,fast\n"), HasSubstr("b: line 1: latency must be a number, not fast"));
  EXPECT_THAT(refusal("p1,1,2\n"), HasSubstr("line 1: 3 cells where there should be 2"));
  EXPECT_THAT(refusal("p1,1\np1,2\n"), HasSubstr("p1 stands in it twice"));
  EXPECT_THAT(refusal("problem,latency,error\nq,,\"a\nb\"\n\np1,1\n"),
              HasSubstr("b: line 5: 2 cells where there should be 3"));
  EXPECT_THAT(refusal("problem,time\n"), HasSubstr("no column latency"));
  EXPECT_THAT(refusal("\"p1,1\n"), HasSubstr("a quoted cell does not end"));
  EXPECT_THAT(refusal("problem,latency,latency\np1,5,6\n"),
              HasSubstr("b: the column latency stands twice"));
  EXPECT_THAT(refusal(""), HasSubstr("b: the file is empty"));
  EXPECT_THAT(refusal("\xEF\xBB\xBF \n"), HasSubstr("b: the file is empty"));
  EXPECT_THAT(refusal("{"), HasSubstr("b: byte 2: not JSON: unexpected end of input"));
  EXPECT_THAT(refusal("{\"problems\": [3]}"), HasSubstr("row 1: must be an object"));
  EXPECT_THAT(refusal("{\"problems\": [], \"problems\": []}"), HasSubstr("the key stands twice"));
  EXPECT_THAT(refusal(R"({"problems":[{"problem":"p1","latency":5,"latency":6}]})"),
              HasSubstr("the key stands twice"));
  EXPECT_THAT(refusal(R"({"problems":[{"problem":"p1","latency":1e999}]})"),
              HasSubstr("the number is too large"));
}

TEST_F(Suite, ABaselineOfOtherProblemsIsSaidToBeOne) {
  const RunResult result = suite({"--baseline", file("other.csv", "x,5\n")});
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_THAT(result.err, HasSubstr("tilebeam: warning: " + path("other.csv") +
                                    ": no latency for any of the problems\n"));
}

TEST_F(Suite, RefusedUsage) {
  const std::string problem = path("problems/p1.json");
  for (const char* const shard : {"0/2", "3/2", "1", "a/b", "1/0", "1/2/3", "auto"}) {
    EXPECT_EQ(suite({"--shard", shard}).exitCode, 2) << shard;
  }
  EXPECT_EQ(suite({problem}).exitCode, 2) << "twice in it";
  EXPECT_EQ(suite({"--jobs", "0"}).exitCode, 2);
  EXPECT_EQ(suite({"--contest", "--time-limit", "1"}).exitCode, 2);
  EXPECT_EQ(suite({"--csv", problem}).exitCode, 2);
  EXPECT_EQ(suite({"--output-dir", path("problems")}).exitCode, 2);
  EXPECT_EQ(suite({"--csv", path("x"), "--json", path("x")}).exitCode, 2);
  std::filesystem::create_directory(path("empty"));
  EXPECT_EQ(suite({}, "empty").exitCode, 3);
}

TEST_F(Suite, ContestTime) {
  const RunResult result =
      tilebeam({"suite", path("problems/p1.json"), "--contest", "--json", path("r.json")});
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_LT(json("r.json")["problems"][0]["seconds"], 2);
}

TEST_F(Suite, SignalEndsItWithWhatIsDone) {
  tilebeam({"generate", "transformer", "--ops", "200", "-o", path("problems/p3.json")});
  Subprocess solver({tilebeamProgram(), "suite", path("problems/p3.json"),
                     path("problems/p10.json"), "--time-limit", "40", "--json", path("r.json"),
                     "--output-dir", path("out")});
  for (int i = 0; i < 3000 && !std::filesystem::exists(path("out/p3.json")); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  solver.signal(SIGINT);
  const RunResult result = solver.wait();
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("1 problem solved, 0 failed, 1 not begun"));
  const auto rows = json("r.json")["problems"];
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0]["status"], "interrupted");
}

}  // namespace
}  // namespace tilebeam::test
