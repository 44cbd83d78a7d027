#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "support/program_fixture.h"

namespace tilebeam::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// Case 5B: t0 t1 -> t3, t3 t2 -> t4, the second reduction split in four.
const std::string kTwoMatMuls = R"({
  "widths": [128, 128, 128, 128, 128], "heights": [128, 128, 128, 128, 128],
  "op_types": ["MatMul", "MatMul"], "inputs": [[0, 1], [3, 2]], "outputs": [[3], [4]],
  "base_costs": [2000, 2000], "fast_memory_capacity": 45000, "slow_memory_bandwidth": 10,
  "native_granularity": [128, 128]})";
const std::string kSplit = R"({"subgraphs": [[0, 1]], "granularities": [[128, 128, 32]],
  "tensors_to_retain": [[]]})";

class Explain : public ProgramTest {
 protected:
  RunResult explain(const std::string& problem, const std::string& schedule, int step,
                    const std::vector<std::string>& options = {}) const {
    std::vector<std::string> arguments{"explain", file("p.json", problem), file("s.json", schedule),
                                       "--step", std::to_string(step)};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return tilebeam(arguments);
  }

  json object(const std::string& problem, const std::string& schedule, int step) const {
    const RunResult result = explain(problem, schedule, step, {"--json"});
    EXPECT_EQ(result.exitCode, 0) << result.err;
    return json::parse(result.out);
  }
};

TEST_F(Explain, Case4AOfTheCostModel) {
  const json step = object(kMatMul, kMatMulSchedule, 0);
  EXPECT_EQ(step["latency"], 7096);
  EXPECT_EQ(step["compute_time"], 6000);
  EXPECT_EQ(step["compute_bound_iterations"], 2);
  EXPECT_EQ(step["peak_fast_memory"], 20480);
  EXPECT_EQ(step["peak_output"], 4096);
  EXPECT_EQ(step["traversal"], "raster");
  EXPECT_EQ(step["ops"], json::parse(R"([{"op": 0, "role": "root", "sink": true, "runs": 4,
                                          "compute": 6000}])"));
  EXPECT_EQ(step["slices"], json::parse(R"([
    {"tensor": 0, "from": "slow memory", "shape": "full rows", "rows": 64, "columns": 128,
     "uses": 4, "reuses": 2, "loads": 16384, "at_peak": 8192},
    {"tensor": 1, "from": "slow memory", "shape": "full columns", "rows": 128, "columns": 64,
     "uses": 4, "reuses": 0, "loads": 32768, "at_peak": 8192}])"));
}

TEST_F(Explain, StepsThatAreNotThere) {
  for (const int step : {-1, 1, 1000000}) {
    const RunResult result = explain(kMatMul, kMatMulSchedule, step);
    EXPECT_EQ(result.exitCode, 2);
    EXPECT_EQ(result.err, "tilebeam: error: " + path("s.json") + ": no step " +
                              std::to_string(step) + "; steps are 0 to 0\n");
  }
}

TEST_F(Explain, LargerTilesAreTriedByTheSimulator) {
  const RunResult result = explain(kMatMul, kMatMulSchedule, 0);
  const std::string over = ": does not fit, working set 32768 is 7768 over the capacity\n";
  EXPECT_THAT(result.out, HasSubstr("\n  w 64 -> 128" + over));
  EXPECT_THAT(result.out, HasSubstr("\n  h 64 -> 128" + over));
  EXPECT_THAT(result.out, HasSubstr("\n  k 128 is not split\n"));

  // With the memory for it, the latency is that of the schedule with the larger tile.
  const std::string roomy = replaced(kMatMul, "25000", "35000");
  const json tile = object(roomy, kMatMulSchedule, 0)["larger_tiles"][0];
  EXPECT_EQ(tile["fits"], true);
  const std::string wider = replaced(kMatMulSchedule, "[64, 64,", "[128, 64,");
  const RunResult evaluated =
      tilebeam({"evaluate", file("p.json", roomy), file("s.json", wider), "--json"});
  EXPECT_EQ(tile["latency"], json::parse(evaluated.out)["total_latency"]);
  EXPECT_EQ(tile["peak_fast_memory"], json::parse(evaluated.out)["steps"][0]["peak_fast_memory"]);

  // Beyond what the hardware computes at once there is no tile to try.
  const std::string small = replaced(roomy, "[128, 128]\n", "[64, 128]\n");
  EXPECT_THAT(object(small, replaced(kMatMulSchedule, "64, 128]", "64, 64]"),
                     0)["larger_tiles"][0]["barred"]
                  .get<std::string>(),
              HasSubstr("cost model 3.4"));
}

TEST_F(Explain, StripsMadeOnTheSpot) {
  const json step = object(kTwoMatMuls, kSplit, 0);
  EXPECT_DOUBLE_EQ(step["latency"], 6915.2);
  EXPECT_EQ(step["k_steps"], 4);
  EXPECT_EQ(step["ops"][0]["role"], "strips");
  EXPECT_EQ(step["ops"][0]["runs"], 4);
  EXPECT_EQ(step["ops"][1]["compute"], 2000);
  ASSERT_EQ(step["slices"].size(), 4U);
  EXPECT_EQ(step["slices"][0]["shape"], "whole");
  EXPECT_EQ(step["slices"][0]["reuses"], 3);
  const json made = step["slices"][3];
  EXPECT_EQ(made["tensor"], 3);
  EXPECT_EQ(made["from"], "made");
  EXPECT_EQ(made["columns"], 32);
  EXPECT_EQ(made["at_peak"], 0);
}

TEST_F(Explain, TheWholePage) {
  const RunResult result = explain(kTwoMatMuls, kSplit, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.out,
            "step 0 of 1: latency 6915.2, 100.00 % of the total\n"
            "\n"
            "op    type          role  output  rows x columns  runs  compute\n"
            " 0  MatMul  makes strips       3       128 x 128     4     2000\n"
            " 1  MatMul    root, sink       4       128 x 128     4     2000\n"
            "\n"
            "grid 128 x 128 in 1 x 1 tiles of 128 x 128 (h 128, w 128), raster; 4 "
            "k-steps each (k 32): 4 iterations\n"
            "stores 4, retains -\n"
            "\n"
            "tensor          from            as  rows x columns  uses  loads  reuses  "
            "elements loaded  at peak\n"
            "     0   slow memory         whole       128 x 128     4      1       3     "
            "       16384    16384\n"
            "     1   slow memory  full columns        128 x 32     4      4       0     "
            "       16384     4096\n"
            "     2   slow memory     full rows        32 x 128     4      4       0     "
            "       16384     4096\n"
            "     3  made by op 0  full columns        128 x 32     4      -       -     "
            "           -        -\n"
            "\n"
            "working set 40960 of 45000, first reached in tile 0, k-step 0: tensors "
            "above 24576, retained so far 0, output 16384\n"
            "compute 4000, memory 6553.6 (loads 49152, stores 16384 elements); bound by "
            "memory, compute in 2 and memory in 2 of 4 iterations\n"
            "\n"
            "the next larger tile\n"
            "  w 128 spans the grid\n"
            "  h 128 spans the grid\n"
            "  k 32 -> 43: fits (43776), latency 6796.55 at best (raster), 118.65 less\n");
}

TEST_F(Explain, ResidentTensorsTakeTheirPlace) {
  const json step = object(kDiamond, kDiamondSchedule, 1);
  const json resident = step["slices"].back();
  EXPECT_EQ(resident["from"], "resident");
  EXPECT_EQ(resident["tensor"], 2);
  EXPECT_EQ(resident["at_peak"], 16384);
}

// Every account of a real schedule adds up to what the evaluator says.
TEST_F(Explain, AccountsAddUp) {
  const std::string problem = path("g.json");
  tilebeam({"generate", "transformer", "--ops", "24", "--seed", "2", "-o", problem});
  tilebeam({"solve", problem, "--max-rounds", "4", "-o", path("x.json")});
  for (const char* const depth : {"native", "full"}) {
    const json evaluation = json::parse(
        tilebeam({"evaluate", problem, path("x.json"), "--json", "--depth", depth}).out);
    for (std::size_t i = 0; i < evaluation["steps"].size(); ++i) {
      const json& judged = evaluation["steps"][i];
      const RunResult run = tilebeam({"explain", problem, path("x.json"), "--step",
                                      std::to_string(i), "--json", "--depth", depth});
      const json step = json::parse(run.out);
      for (const char* const key : {"latency", "compute_time", "memory_time", "loads", "stores",
                                    "peak_fast_memory", "k_steps", "bound_by", "stored"}) {
        EXPECT_EQ(step[key], judged[key]) << key;
      }
      double loads = 0;
      double compute = 0;
      std::int64_t peak =
          step["peak_retained"].get<std::int64_t>() + step["peak_output"].get<std::int64_t>();
      for (const json& slice : step["slices"]) {
        loads += slice["loads"].get<double>();
        peak += slice["at_peak"].get<std::int64_t>();
      }
      for (const json& op : step["ops"]) compute += op["compute"].get<double>();
      EXPECT_EQ(loads, judged["loads"]);
      EXPECT_EQ(peak, judged["peak_fast_memory"]);
      EXPECT_NEAR(compute, judged["compute_time"], 1e-9 * compute);
    }
  }
}

TEST_F(Explain, WrongUsage) {
  const RunResult beyond = explain(kDiamond, kDiamondSchedule, 2);
  EXPECT_EQ(beyond.exitCode, 2);
  EXPECT_EQ(beyond.err, "tilebeam: error: " + path("s.json") + ": no step 2; steps are 0 to 1\n");
  EXPECT_EQ(explain(kDiamond, kDiamondSchedule, -1).exitCode, 2);
  EXPECT_EQ(tilebeam({"explain", path("p.json"), path("s.json"), "--step", "x"}).err,
            "tilebeam: error: --step: 'x' is no step; steps are numbered from 0 (see --help)\n");
  EXPECT_EQ(explain(kDiamond, replaced(kDiamondSchedule, "[[2]", "[[1, 1]"), 0).exitCode, 1);
  EXPECT_EQ(tilebeam({"explain", path("p.json"), path("s.json")}).exitCode, 2);
}

}  // namespace
}  // namespace tilebeam::test
