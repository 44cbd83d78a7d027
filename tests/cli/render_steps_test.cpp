// A part of a schedule in pictures: the steps that --steps names, or as many as can be drawn.
#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "support/markup_checks.h"
#include "support/problem_builder.h"
#include "support/render_fixture.h"
#include "tilebeam/json_io.h"

namespace tilebeam::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

// A chain of Pointwise ops, one step each, of different latencies. Every third output is retained;
// the last op also takes the first one's output.
class RenderSteps : public RenderTest {
 protected:
  void makeChain(int count) {
    ProblemBuilder builder;
    Schedule schedule;
    std::vector<double> latencies;
    TensorId last = builder.tensor(64, 64);
    const TensorId first{1};
    for (int i = 0; i < count; ++i) {
      std::vector<TensorId> inputs{last};
      if (i + 1 == count) inputs.push_back(first);
      last = builder.pointwise(inputs, 1000 + i);
      schedule.steps.push_back(step({i}, {64, 64, 1}));
      if (i % 3 == 0 && i + 1 < count && i > 0) schedule.steps.back().retained = {last};
      latencies.push_back(1);
    }
    const Problem problem = builder.build();
    problem_ = file("chain.json", writeProblem(problem));
    schedule_ = file("chain-schedule.json", writeSchedule(problem, schedule, latencies));
  }

  RunResult render(const std::string& format, const std::string& steps = "") const {
    std::vector<std::string> arguments{"render", problem_, schedule_, "--to", format};
    if (!steps.empty()) arguments.insert(arguments.end(), {"--steps", steps});
    return tilebeam(arguments);
  }

  std::string drawnSteps(const std::string& format, const std::string& steps) const {
    const RunResult result = render(format, steps);
    EXPECT_EQ(result.exitCode, 0) << result.err;
    EXPECT_EQ(result.err, "");
    return result.out;
  }

  json evaluation() const {
    return json::parse(tilebeam({"evaluate", problem_, schedule_, "--json"}).out);
  }

  std::string problem_;
  std::string schedule_;
};

TEST_F(RenderSteps, ThePageHoldsThemAlone) {
  makeChain(30);
  const std::string page = drawnSteps("html", "10-19");
  const std::string start = "<script type=\"application/json\" id=\"data\">";
  const std::size_t from = page.find(start) + start.size();
  const json data = json::parse(page.substr(from, page.find("</script>", from) - from));
  const json whole = evaluation();
  double begin = 0;
  for (std::size_t s = 0; s < 10; ++s) begin += whole["steps"][s]["latency"].get<double>();
  EXPECT_EQ(data["first_step"], 10);
  EXPECT_DOUBLE_EQ(data["begin"], begin);
  ASSERT_EQ(data["steps"].size(), 10U);
  EXPECT_EQ(data["steps"][0]["start"], 0);
  EXPECT_EQ(data["steps"][0]["ops"], json::parse("[10]"));
  EXPECT_EQ(data["steps"][0]["resident"], json::parse("[10]"));  // by step 9
  for (std::size_t s = 0; s < 10; ++s) {
    EXPECT_EQ(data["steps"][s]["latency"], whole["steps"][10 + s]["latency"]);
  }
  EXPECT_EQ(data["summary"]["total_latency"], whole["total_latency"]);
  EXPECT_EQ(data["summary"]["steps"], 30);
  EXPECT_EQ(data["ops"].size(), 10U);
  EXPECT_EQ(data["tensors"].size(), 11U);
  EXPECT_EQ(data["ops"]["19"][3], 20);
  EXPECT_EQ(data["graph"]["boxes"].size(), 10U);
  EXPECT_THAT(page, HasSubstr("chain.json, steps 10 to 19 of 30"));
}

TEST_F(RenderSteps, GraphsTakeWhatCameBeforeFromOutside) {
  makeChain(30);
  const std::string dot = drawnSteps("dot", "25-29");
  EXPECT_THAT(dot, HasSubstr("subgraph cluster_25 {\n    label=\"step 25: "));
  EXPECT_THAT(dot, HasSubstr("  s29_op29 "));
  EXPECT_THAT(dot, Not(HasSubstr("op24")));
  // t25 of step 24, and t1 of step 0.
  EXPECT_THAT(dot, HasSubstr("  t25 -> s25_op25;\n"));
  EXPECT_THAT(dot, HasSubstr("  t1 -> s29_op29;\n"));
  EXPECT_EQ(linesWith(dot, "subgraph cluster_").size(), 5U);
  EXPECT_THAT(drawnSteps("mermaid", "25-29"), HasSubstr("  t1 --> s29_op29\n"));
}

TEST_F(RenderSteps, FiguresAndTracesKeepNumbersAndTimes) {
  makeChain(30);
  const std::string svg = drawnSteps("svg", "10-19");
  expectWellFormed(svg);
  EXPECT_THAT(svg, HasSubstr("steps 10 to 19 of 30"));
  EXPECT_THAT(svg, HasSubstr("<title>step 10: "));
  EXPECT_THAT(svg, Not(HasSubstr("<title>step 9: ")));
  const json whole = json::parse(drawnSteps("trace", "0-29"))["traceEvents"];
  const json part = json::parse(drawnSteps("trace", "10-19"))["traceEvents"];
  std::size_t found = 0;
  for (const json& event : part) {
    if (event["ph"] != "X") continue;
    found += static_cast<std::size_t>(std::count(whole.begin(), whole.end(), event));
  }
  EXPECT_EQ(found, 3 * 10U);
}

TEST_F(RenderSteps, RangesThatAreNone) {
  makeChain(30);
  for (const char* const steps :
       {"30", "5x", "-1", "-1-3", "3-", "-", "9-8", "0-30", "a-b", "1-2x", "1--2"}) {
    const RunResult result = render("dot", steps);
    EXPECT_EQ(result.exitCode, 2) << steps;
    EXPECT_THAT(result.err, HasSubstr("--steps: '" + std::string(steps) +
                                      "' is no step and no range of steps of 0 to 29, as in 29 "
                                      "or 0-29"));
  }
  EXPECT_EQ(tilebeam({"render", problem_, "--to", "dot", "--steps", "0-1"}).exitCode, 2);
}

TEST_F(RenderSteps, ASingleOne) {
  makeChain(30);
  EXPECT_EQ(drawnSteps("dot", "7"), drawnSteps("dot", "7-7"));
}

TEST_F(RenderSteps, OfAGraphAloneTheFirstOps) {
  makeChain(100'001);
  for (const char* const format : {"dot", "mermaid"}) {
    const RunResult result = tilebeam({"render", problem_, "--to", format});
    EXPECT_EQ(result.exitCode, 0);
    EXPECT_EQ(result.err,
              "tilebeam: " + problem_ + ": only the first 100000 of 100001 ops are drawn\n");
    EXPECT_THAT(result.out, HasSubstr(", the first 100000 of 100001 ops"));
    EXPECT_THAT(result.out, HasSubstr("op99999"));
    EXPECT_THAT(result.out, Not(HasSubstr("op100000")));
  }
}

TEST_F(RenderSteps, NoMoreThanCanBeDrawnUnlessAsked) {
  makeChain(20'010);
  const RunResult result = render("dot");
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_EQ(result.err, "tilebeam: " + schedule_ +
                            ": 20010 steps; only 0 to 19999 are drawn, others with --steps A-B\n");
  EXPECT_THAT(result.out, HasSubstr("steps 0 to 19999 of 20010"));
  EXPECT_THAT(result.out, HasSubstr("cluster_19999"));
  EXPECT_THAT(result.out, Not(HasSubstr("cluster_20000")));
  EXPECT_THAT(drawnSteps("dot", "20000-20009"), HasSubstr("cluster_20009"));
}

}  // namespace
}  // namespace tilebeam::test
