// Every picture of `tilebeam render` says what the evaluator says. The page is also tested in a
// browser, by tests/browser.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "support/markup_checks.h"
#include "support/problem_builder.h"
#include "support/render_fixture.h"
#include "tilebeam/json_io.h"

namespace tilebeam::test {
namespace {

using Render = RenderTest;
using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::vector<std::string> kFormats{"html", "svg", "dot", "mermaid", "trace"};

json dataOf(const std::string& page) {
  const std::string start = "<script type=\"application/json\" id=\"data\">";
  const std::size_t from = page.find(start) + start.size();
  return json::parse(page.substr(from, page.find("</script>", from) - from));
}

TEST_F(Render, SvgShowsTheSteps) {
  const std::string svg = drawn("svg");
  expectWellFormed(svg);
  EXPECT_THAT(svg, HasSubstr("<text class=\"title\" x=\"24\" y=\"34\">Schedule of p.json</text>"));
  EXPECT_THAT(svg, HasSubstr("latency 6276.8, bound "));
  EXPECT_THAT(svg, HasSubstr("2 steps, peak 49152 of 50000<"));
  EXPECT_THAT(svg, HasSubstr("prefers-color-scheme: dark"));
  // Of the 872 that the total takes, 3000 / 6276.8 and the rest.
  EXPECT_THAT(
      linesWith(svg, " step\""),
      ElementsAre(
          "<rect class=\"compute step\" x=\"104.00\" y=\"96.0\" width=\"416.77\" height=\"40.0\">"
          "<title>step 0: latency 3000, compute-bound, ops 0,1</title></rect>",
          "<rect class=\"memory step\" x=\"520.77\" y=\"96.0\" width=\"455.23\" height=\"40.0\">"
          "<title>step 1: latency 3276.8, memory-bound, ops 0,2</title></rect>"));
  // Peaks of 32768 and 49152 in 160 for the capacity; 16384 are carried into the second step.
  EXPECT_THAT(
      svg, HasSubstr("<path class=\"peak\" d=\"M104.00 396.0V291.1H520.77V238.7H976.00V396.0Z\""));
  EXPECT_THAT(svg,
              HasSubstr("<path class=\"resident\" d=\"M104.00 396.0V396.0H520.77V343.6H976.00"));
}

TEST_F(Render, SvgOfManyStepsJoinsTheNarrow) {
  constexpr int kSteps = 3000;
  ProblemBuilder builder;
  Schedule schedule;
  TensorId last = builder.tensor(64, 64);
  for (int i = 0; i < kSteps; ++i) {
    last = builder.pointwise({last}, 64);
    schedule.steps.push_back(step({i}, {64, 64, 1}));
  }
  const Problem problem = builder.build();
  const std::string svg =
      tilebeam({"render", file("chain.json", writeProblem(problem)),
                file("chain-schedule.json",
                     writeSchedule(problem, schedule, std::vector<double>(kSteps, 1))),
                "--to", "svg"})
          .out;
  expectWellFormed(svg);
  EXPECT_THAT(svg, HasSubstr("<title>steps 0 to 2999: memory-bound</title>"));
  EXPECT_LT(svg.size(), 200'000U);
}

TEST_F(Render, TraceHasTheEvaluatorsTimes) {
  const Solved made = solved();
  const json trace = json::parse(drawn(made, "trace"));
  EXPECT_EQ(trace["otherData"]["total_latency"], made.evaluation["total_latency"]);
  EXPECT_EQ(trace["otherData"]["time"], "1 time unit of the cost model is shown as 1 us");
  std::vector<json> tracks(4), peaks;
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] == "X") tracks[event["tid"]].push_back(event);
    if (event["ph"] == "C" && event["name"] == "fast memory: peak") peaks.push_back(event);
  }
  double now = 0;
  const json& steps = made.evaluation["steps"];
  for (const std::size_t track : {1U, 2U, 3U}) ASSERT_EQ(tracks[track].size(), steps.size());
  ASSERT_EQ(peaks.size(), steps.size() + 1);
  for (std::size_t s = 0; s < steps.size(); ++s) {
    for (const std::size_t track : {1U, 2U, 3U}) EXPECT_DOUBLE_EQ(tracks[track][s]["ts"], now);
    EXPECT_EQ(tracks[1][s]["dur"], steps[s]["latency"]);
    EXPECT_EQ(tracks[2][s]["dur"], steps[s]["compute_time"]);
    EXPECT_EQ(tracks[3][s]["dur"], steps[s]["memory_time"]);
    EXPECT_EQ(tracks[1][s]["args"]["ops"], steps[s]["ops"]);
    EXPECT_EQ(tracks[3][s]["args"]["loads"], steps[s]["loads"]);
    EXPECT_DOUBLE_EQ(peaks[s]["ts"], now);
    EXPECT_EQ(peaks[s]["args"]["elements"], steps[s]["peak_fast_memory"]);
    now += steps[s]["latency"].get<double>();
  }
  EXPECT_EQ(peaks.back()["args"]["elements"], 0);
}

// Viewers count nanoseconds in 64 bits.
TEST_F(Render, TraceScalesWhatWouldBeTooShortOrTooLong) {
  const auto scaleOf = [&](const char* cost) {
    std::string text = kDiamond;
    for (int i = 0; i < 3; ++i) text = replaced(text, "1500", cost);
    text = replaced(text, "\"slow_memory_bandwidth\": 10", "\"slow_memory_bandwidth\": 1e99");
    const std::string costly = file("costly.json", text);
    const json trace = json::parse(tilebeam({"render", costly, schedule(), "--to", "trace"}).out);
    const json& other = trace["otherData"];
    for (const json& event : trace["traceEvents"]) {
      if (event["ph"] != "X" || event["tid"] != 1) continue;
      EXPECT_DOUBLE_EQ(event["dur"], event["args"]["latency"].get<double>() *
                                         other["microseconds_per_time_unit"].get<double>());
    }
    return other["microseconds_per_time_unit"].get<double>();
  };
  EXPECT_DOUBLE_EQ(scaleOf("1500"), 1);
  EXPECT_DOUBLE_EQ(scaleOf("1.5e50"), 1e-38);
  EXPECT_DOUBLE_EQ(scaleOf("1.5e-9"), 1e12);
}

TEST_F(Render, PageHoldsTheEvaluatorsNumbers) {
  const Solved made = solved();
  const json data = dataOf(drawn(made, "html"));
  EXPECT_EQ(data["summary"]["total_latency"], made.evaluation["total_latency"]);
  const json& steps = made.evaluation["steps"];
  ASSERT_EQ(data["steps"].size(), steps.size());
  for (std::size_t s = 0; s < steps.size(); ++s) {
    for (const auto& [key, value] : steps[s].items()) {
      if (key == "reported_latency") continue;
      EXPECT_EQ(data["steps"][s][key], value) << s << key;
    }
    double loads = 0;
    for (const json& load : data["steps"][s]["loaded"]) loads += load[1].get<double>();
    EXPECT_EQ(loads, steps[s]["loads"]) << s;
  }
}

TEST_F(Render, PageNeedsNothingElse) {
  const std::string page = drawn("html");
  EXPECT_THAT(page, HasSubstr("<title>Schedule of p.json</title>"));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  for (const char* const reference : {"http:", "https:", " src=", "@import", "url("}) {
    EXPECT_THAT(page, Not(HasSubstr(reference)));
  }
  EXPECT_THAT(linesWith(page, "href="), ElementsAre("<link rel=\"icon\" href=\"data:,\">"));
  for (const char* const mark : {"@TITLE@", "@STYLE@", "@SCRIPT@", "@DATA@"}) {
    EXPECT_THAT(page, Not(HasSubstr(mark)));
  }
}

TEST_F(Render, PageOfMoreOpsThanCanBeDrawnHasNoGraph) {
  // Recomputation makes many runs of few ops.
  constexpr std::size_t kSteps = 7000;
  const Schedule schedule{std::vector<Step>(kSteps, step({0, 1, 2}, {128, 128, 1}))};
  const std::string large = file("large.json", writeSchedule(parseProblem(kDiamond), schedule,
                                                             std::vector<double>(kSteps, 1)));
  const json data = dataOf(tilebeam({"render", problem(), large, "--to", "html"}).out);
  EXPECT_EQ(data["graph"], nullptr);
  EXPECT_EQ(data["steps"].size(), kSteps);
  EXPECT_NE(dataOf(drawn("html"))["graph"], nullptr);
}

TEST_F(Render, NamesAreTextAndNoMarkup) {
  const std::string name = "<!--<script>\"&\\\x01\xff#.json";
  const std::string odd = file(name, kDiamond);
  const auto drawnAs = [&](const char* format) {
    const RunResult result = tilebeam({"render", odd, schedule(), "--to", format});
    EXPECT_EQ(result.exitCode, 0) << result.err;
    return result.out;
  };
  const std::string page = drawnAs("html");
  EXPECT_THAT(page,
              HasSubstr("<title>Schedule of &lt;!--&lt;script&gt;&quot;&amp;\\??#.json</title>"));
  EXPECT_THAT(page, Not(HasSubstr("<!--")));
  EXPECT_EQ(dataOf(page)["title"], "<!--<script>\"&\\??#.json");
  expectWellFormed(drawnAs("svg"));
  EXPECT_THAT(drawnAs("dot"), HasSubstr("label=\"<!--<script>\\\"&\\\\??#.json\""));
  EXPECT_THAT(json::parse(drawnAs("trace"))["otherData"]["problem"], "<!--<script>\"&\\??#.json");
  EXPECT_THAT(drawnAs("mermaid"), StartsWith("%% <!--<script>\"&\\??#.json\nflowchart"));
}

TEST_F(Render, DepthChangesTheReading) {
  const std::string problem = file("matmul.json", R"({
    "widths": [256, 64, 64], "heights": [64, 256, 64], "op_types": ["MatMul"],
    "inputs": [[0, 1]], "outputs": [[2]], "base_costs": [100000], "fast_memory_capacity": 50000,
    "slow_memory_bandwidth": 10, "native_granularity": [128, 128]})");
  const std::string schedule = file("m.json", R"({"subgraphs": [[0]],
    "granularities": [[64, 64, 128]], "tensors_to_retain": [[]]})");
  const auto total = [&](const char* depth) {
    return dataOf(tilebeam({"render", problem, schedule, "--to", "html", "--depth", depth})
                      .out)["summary"]["total_latency"];
  };
  EXPECT_EQ(total("native"), 200000);
  EXPECT_EQ(total("full"), 100000);
}

TEST_F(Render, AnInvalidScheduleIsRefusedAsByEvaluate) {
  const std::string broken = file("s.json", replaced(kDiamondSchedule, "[0, 2]]", "[2, 0]]"));
  const RunResult judged = tilebeam({"evaluate", problem(), broken});
  EXPECT_EQ(judged.exitCode, 1);
  for (const std::string& format : kFormats) {
    const RunResult result =
        tilebeam({"render", problem(), broken, "--to", format, "-o", path("x")});
    EXPECT_EQ(result.exitCode, 1) << format;
    EXPECT_EQ(result.err, judged.err) << format;
  }
  EXPECT_FALSE(std::filesystem::exists(path("x")));
}

TEST_F(Render, WrongUsage) {
  for (const char* const format : {"html", "svg", "trace"}) {
    const RunResult result = tilebeam({"render", problem(), "--to", format});
    EXPECT_EQ(result.exitCode, 2);
    EXPECT_EQ(result.err, std::string("tilebeam: error: --to ") + format +
                              " needs a SCHEDULE; dot and mermaid show the graph of a problem "
                              "alone (see --help)\n");
  }
  EXPECT_EQ(tilebeam({"render", problem(), schedule()}).exitCode, 2);
  EXPECT_EQ(tilebeam({"render", problem(), schedule(), "--to", "png"}).exitCode, 2);
  EXPECT_EQ(tilebeam({"render", problem(), schedule(), "--to", "dot", "-o", problem()}).exitCode,
            2);
  EXPECT_EQ(tilebeam({"render", problem(), schedule(), "--to", "dot", "-o", schedule()}).exitCode,
            2);
}

TEST_F(Render, WritesFilesWholeOrNotAtAll) {
  for (const std::string& format : kFormats) {
    const RunResult result =
        tilebeam({"render", problem(), schedule(), "--to", format, "-o", path(format)});
    EXPECT_EQ(result.exitCode, 0) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(contentOf(path(format)), drawn(format));
  }
  EXPECT_EQ(tilebeam({"render", problem(), schedule(), "--to", "svg", "-o", path("no/x")}).exitCode,
            5);
  EXPECT_EQ(tilebeam({"render", path("none"), schedule(), "--to", "svg"}).exitCode, 3);
}

}  // namespace
}  // namespace tilebeam::test
