#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "support/program_fixture.h"

namespace tilebeam::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Cases 3A and 3C of the cost model; 3B is kDiamondSchedule.
const std::string kApart = R"({"subgraphs": [[0], [1], [2]], "tensors_to_retain": [[], [], []],
  "granularities": [[128, 128, 1], [128, 128, 1], [128, 128, 1]]})";
const std::string kRetained = R"({"subgraphs": [[0], [1, 2]], "tensors_to_retain": [[1], []],
  "granularities": [[128, 128, 1], [128, 128, 1]]})";

class Compare : public ProgramTest {
 protected:
  RunResult compare(const std::string& problem, const std::string& a, const std::string& b,
                    const std::vector<std::string>& options = {}) const {
    std::vector<std::string> arguments{"compare", file("p.json", problem), file("a.json", a),
                                       file("b.json", b)};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return tilebeam(arguments);
  }

  json object(const std::string& problem, const std::string& a, const std::string& b) const {
    const RunResult result = compare(problem, a, b, {"--json"});
    EXPECT_EQ(result.exitCode, 0) << result.err;
    return json::parse(result.out);
  }
};

TEST_F(Compare, CutsWhereTheSameOpsAreComputed) {
  const json result = object(kDiamond, kApart, kDiamondSchedule);
  EXPECT_DOUBLE_EQ(result["a_latency"], 11468.8);
  EXPECT_DOUBLE_EQ(result["b_latency"], 6276.8);
  EXPECT_NEAR(result["delta"], -5192, 1e-9);
  ASSERT_EQ(result["segments"].size(), 2U);
  const json& first = result["segments"][0];
  EXPECT_EQ(first["ops"], 2);
  EXPECT_EQ(first["a_steps"], json::array({0, 2}));
  EXPECT_EQ(first["b_steps"], json::array({0, 1}));
  EXPECT_DOUBLE_EQ(first["a_latency"], 6553.6);
  EXPECT_DOUBLE_EQ(first["b_latency"], 3000);
  EXPECT_EQ(first["differs_in"], json::array({"grouping", "retention", "storing"}));
  const json& second = result["segments"][1];
  EXPECT_EQ(second["b_remade"], json::array({0}));
  EXPECT_EQ(second["a_remade"], json::array());
  EXPECT_EQ(second["differs_in"], json::array({"grouping", "recomputation", "residents"}));
}

TEST_F(Compare, TextShowsTheStepsThatDiffer) {
  const RunResult result = compare(kDiamond, kApart, kRetained);
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.out,
            "segment  ops  A steps  B steps  A latency  B latency    B - A               "
            "     differs in\n"
            "      0    1        0        0     3276.8     1638.4  -1638.4            "
            "retention, storing\n"
            "      1    2      1-2        1       8192       3000    -5192  grouping, "
            "residents, storing\n"
            "\n"
            "segment 0: B - A -1638.4, by retention, storing\n"
            "   step  ops      w,h,k   order  latency  bound by  retained  stored\n"
            "A     0    0  128,128,1  raster   3276.8    memory         -       1\n"
            "B     0    0  128,128,1  raster   1638.4    memory         1       -\n"
            "\n"
            "segment 1: B - A -5192, by grouping, residents, storing\n"
            "   step  ops      w,h,k   order  latency  bound by  retained  stored\n"
            "A     1    1  128,128,1  raster   3276.8    memory         -       2\n"
            "A     2    2  128,128,1  raster   4915.2    memory         -       3\n"
            "B     1  1,2  128,128,1  raster     3000   compute         -       3\n"
            "\n"
            "total latency: A 11468.8 in 3 steps, B 4638.4 in 2 steps, B - A -6830.4 "
            "(-59.56 %)\n");
}

TEST_F(Compare, TheOrderOfTilesIsADifference) {
  const json result =
      object(kMatMul, kMatMulSchedule, replaced(kMatMulSchedule, "[null]", "[[0, 1, 3, 2]]"));
  ASSERT_EQ(result["segments"].size(), 1U);
  EXPECT_EQ(result["segments"][0]["differs_in"], json::array({"traversal"}));
  EXPECT_DOUBLE_EQ(result["segments"][0]["delta"], 6548 - 7096);
}

TEST_F(Compare, SoIsTheTile) {
  const json result =
      object(kMatMul, kMatMulSchedule, replaced(kMatMulSchedule, "[64, 64,", "[32, 64,"));
  EXPECT_EQ(result["segments"][0]["differs_in"], json::array({"granularity"}));
}

TEST_F(Compare, EqualSchedulesAreOneLine) {
  // Raster order, spelt out, and an ignored k.
  const std::string spelt = replaced(kMatMulSchedule, "[null]", "[[0, 1, 2, 3]]");
  EXPECT_EQ(object(kMatMul, kMatMulSchedule, spelt)["segments"][0]["same"], true);
  const RunResult result =
      compare(kDiamond, kApart, replaced(kApart, "[128, 128, 1]", "[128, 128, 9]"));
  EXPECT_THAT(result.out, HasSubstr("nothing\n\ntotal latency: A 11468.8 in 3 steps, B 11468.8 in "
                                    "3 steps, B - A 0 (0.00 %)\n"));
  EXPECT_THAT(result.out, Not(HasSubstr("segment 0")));
}

TEST_F(Compare, SegmentsAddUpToTheTotals) {
  const std::string problem = path("g.json");
  tilebeam({"generate", "transformer", "--ops", "80", "-o", problem});
  for (const auto& [name, rounds] : {std::pair{"x.json", "1"}, {"y.json", "6"}}) {
    tilebeam({"solve", problem, "--max-rounds", rounds, "-o", path(name), "--without",
              rounds == std::string("1") ? "retention" : "snakes"});
  }
  const RunResult run = tilebeam({"compare", problem, path("x.json"), path("y.json"), "--json"});
  ASSERT_EQ(run.exitCode, 0) << run.err;
  const json result = json::parse(run.out);
  double a = 0;
  double b = 0;
  std::size_t ops = 0;
  std::size_t nextA = 0;
  std::size_t nextB = 0;
  for (const json& segment : result["segments"]) {
    a += segment["a_latency"].get<double>();
    b += segment["b_latency"].get<double>();
    ops += segment["ops"].get<std::size_t>();
    EXPECT_EQ(segment["a_steps"][0], nextA);
    EXPECT_EQ(segment["b_steps"][0], nextB);
    nextA = segment["a_steps"][1];
    nextB = segment["b_steps"][1];
    if (segment["same"] == true) {
      EXPECT_DOUBLE_EQ(segment["a_latency"], segment["b_latency"]);
    }
  }
  EXPECT_EQ(ops, 80U);
  const auto total = [&](const char* schedule) {
    return json::parse(tilebeam({"evaluate", problem, path(schedule), "--json"}).out);
  };
  EXPECT_EQ(nextA, total("x.json")["steps"].size());
  EXPECT_EQ(nextB, total("y.json")["steps"].size());
  EXPECT_NEAR(a, total("x.json")["total_latency"].get<double>(), 1e-9 * a);
  EXPECT_NEAR(b, total("y.json")["total_latency"].get<double>(), 1e-9 * b);
}

TEST_F(Compare, AnInvalidScheduleIsNamed) {
  const RunResult result =
      compare(kDiamond, kApart, replaced(kRetained, "[[0], [1, 2]]", "[[0], [1]]"));
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, StartsWith("tilebeam: error: " + path("b.json") + ": cost model 3"));
}

}  // namespace
}  // namespace tilebeam::test
