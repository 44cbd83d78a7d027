// Every picture of `tilebeam render` says what the evaluator says. The page is also tested in a
// browser, by tests/browser.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <set>

#include "support/markup_checks.h"
#include "support/program_fixture.h"

namespace tilebeam::test {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

const std::vector<std::string> kFormats{"html", "svg", "dot", "mermaid", "trace"};

class Render : public ProgramTest {
 protected:
  // Of the diamond, in which t2 is retained and op 0 runs twice.
  std::string drawn(const std::string& format) const {
    const RunResult result = tilebeam({"render", problem(), schedule(), "--to", format});
    EXPECT_EQ(result.exitCode, 0) << result.err;
    EXPECT_EQ(result.err, "");
    return result.out;
  }

  std::string problem() const { return file("p.json", kDiamond); }
  std::string schedule() const { return file("s.json", kDiamondSchedule); }

  // A problem and its schedule of some twenty steps, and what the evaluator says of it.
  struct Solved {
    std::string problem;
    std::string schedule;
    json evaluation;
  };
  Solved solved() const {
    Solved made{path("large.json"), path("large-schedule.json"), {}};
    tilebeam({"generate", "gated-mlp", "--ops", "60", "--seed", "5", "-o", made.problem});
    tilebeam({"solve", made.problem, "--max-rounds", "1", "-o", made.schedule});
    made.evaluation =
        json::parse(tilebeam({"evaluate", made.problem, made.schedule, "--json"}).out);
    EXPECT_GT(made.evaluation["steps"].size(), 5U);
    return made;
  }
  std::string drawn(const Solved& made, const std::string& format) const {
    return tilebeam({"render", made.problem, made.schedule, "--to", format}).out;
  }
};

json dataOf(const std::string& page) {
  const std::string start = "<script type=\"application/json\" id=\"data\">";
  const std::size_t from = page.find(start) + start.size();
  return json::parse(page.substr(from, page.find("</script>", from) - from));
}

TEST_F(Render, DotOfASchedule) {
  const std::string dot = drawn("dot");
  EXPECT_THAT(dot, StartsWith("digraph tilebeam {\n"));
  EXPECT_THAT(linesWith(dot, "label=\"step "),
              ElementsAre("    label=\"step 0: 3000, compute-bound, tile 128,128,1\";",
                          "    label=\"step 1: 3276.8, memory-bound, tile 128,128,1\";"));
  EXPECT_THAT(
      linesWith(dot, " -> "),
      ElementsAre("  t0 -> s0_op0;", "  s0_op0 -> s0_t1;", "  s0_t1 -> s0_op1;",
                  "  s0_op1 -> s0_t2;", "  t0 -> s1_op0;", "  s1_op0 -> s1_t1;",
                  "  s1_t1 -> s1_op2;",
                  "  s0_t2 -> s1_op2 [label=\"retained\", penwidth=2.5, color=\"#009e73\"];",
                  "  s1_op2 -> s1_t3;"));
  EXPECT_THAT(dot, HasSubstr("s0_t2 [label=\"t2\\n128×128\\nretained\""));
  EXPECT_THAT(dot, HasSubstr("s1_t3 [label=\"t3\\n128×128\\nstored\""));
  EXPECT_THAT(dot, HasSubstr("s1_op2 [label=\"op 2\\nPointwise\\nbase 1500\""));
}

TEST_F(Render, MermaidOfASchedule) {
  const std::string mermaid = drawn("mermaid");
  EXPECT_THAT(mermaid, StartsWith("%% p.json\nflowchart TB\n"));
  EXPECT_THAT(linesWith(mermaid, "subgraph "),
              ElementsAre("  subgraph step0[\"step 0: 3000, compute-bound, tile 128,128,1\"]",
                          "  subgraph step1[\"step 1: 3276.8, memory-bound, tile 128,128,1\"]"));
  EXPECT_THAT(linesWith(mermaid, "  end"), SizeIs(2));
  EXPECT_THAT(linesWith(mermaid, " --> "), SizeIs(8));
  EXPECT_THAT(linesWith(mermaid, "==>"), ElementsAre("  s0_t2 ==>|retained| s1_op2"));
  EXPECT_THAT(mermaid, HasSubstr("    s0_t2([\"t2<br>128×128<br>retained\"]):::retained\n"));
}

TEST_F(Render, GraphWithoutASchedule) {
  const std::string dot = tilebeam({"render", problem(), "--to", "dot"}).out;
  EXPECT_THAT(dot, Not(HasSubstr("cluster")));
  EXPECT_THAT(linesWith(dot, " -> "),
              ElementsAre("  t0 -> op0;", "  op0 -> t1;", "  t1 -> op1;", "  op1 -> t2;",
                          "  t1 -> op2;", "  t2 -> op2;", "  op2 -> t3;"));
  const std::string mermaid = tilebeam({"render", problem(), "--to", "mermaid"}).out;
  EXPECT_THAT(linesWith(mermaid, " --> "), SizeIs(7));
  EXPECT_THAT(mermaid, Not(HasSubstr("subgraph")));
}

// Clusters hold their steps' ops, and edges join nodes that are there.
TEST_F(Render, DotOfALargerScheduleHangsTogether) {
  const Solved made = solved();
  const std::string dot = drawn(made, "dot");
  std::set<std::string> nodes;
  std::vector<std::vector<int>> ops;
  for (const std::string& line : linesWith(dot, "")) {
    const std::string word = line.substr(
        line.find_first_not_of(' ') == std::string::npos ? 0 : line.find_first_not_of(' '));
    if (word.starts_with("subgraph")) ops.emplace_back();
    if (line.find(" [label=") == std::string::npos || line.find("->") != std::string::npos)
      continue;
    const std::string name = word.substr(0, word.find(' '));
    EXPECT_TRUE(nodes.insert(name).second) << name;
    const std::string start = "s" + std::to_string(ops.size() - 1) + "_op";
    if (name.starts_with(start)) ops.back().push_back(std::stoi(name.substr(start.size())));
  }
  ASSERT_EQ(ops.size(), made.evaluation["steps"].size());
  for (std::size_t s = 0; s < ops.size(); ++s) {
    EXPECT_EQ(json(ops[s]), made.evaluation["steps"][s]["ops"]);
  }
  for (const std::string& line : linesWith(dot, " -> ")) {
    const std::size_t arrow = line.find(" -> ");
    EXPECT_THAT(nodes, Contains(line.substr(2, arrow - 2)));
    EXPECT_THAT(nodes,
                Contains(line.substr(arrow + 4, line.find_first_of(" ;", arrow + 4) - arrow - 4)));
  }
  EXPECT_EQ(std::count(dot.begin(), dot.end(), '{'), std::count(dot.begin(), dot.end(), '}'));
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
  std::string ops, inputs, outputs, areas = "64", subgraphs, granularities, retained;
  for (int i = 0; i < 3000; ++i) {
    const std::string comma = i == 0 ? "" : ",", number = std::to_string(i);
    ops += comma + "\"Pointwise\"";
    inputs += comma + "[" + number + "]";
    outputs += comma + "[" + std::to_string(i + 1) + "]";
    areas += ",64";
    subgraphs += comma + "[" + number + "]";
    granularities += comma + "[64,64,1]";
    retained += comma + "[]";
  }
  std::string costs = areas.substr(3);
  const std::string problem =
      file("chain.json", "{\"widths\":[" + areas + "],\"heights\":[" + areas + "],\"op_types\":[" +
                             ops + "],\"inputs\":[" + inputs + "],\"outputs\":[" + outputs +
                             "],\"base_costs\":[" + costs +
                             R"(],"fast_memory_capacity":9000,)"
                             R"("slow_memory_bandwidth":10,"native_granularity":[64,64]})");
  const std::string schedule = file(
      "chain-schedule.json", "{\"subgraphs\":[" + subgraphs + "],\"granularities\":[" +
                                 granularities + "],\"tensors_to_retain\":[" + retained + "]}");
  const std::string svg = tilebeam({"render", problem, schedule, "--to", "svg"}).out;
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
  std::string subgraphs = "[0,1,2]", granularities = "[128,128,1]", retained = "[]";
  for (int i = 0; i < 7000; ++i) {
    subgraphs += ",[0,1,2]";
    granularities += ",[128,128,1]";
    retained += ",[]";
  }
  const std::string large =
      file("large.json", "{\"subgraphs\":[" + subgraphs + "],\"granularities\":[" + granularities +
                             "],\"tensors_to_retain\":[" + retained + "]}");
  const json data = dataOf(tilebeam({"render", problem(), large, "--to", "html"}).out);
  EXPECT_EQ(data["graph"], nullptr);
  EXPECT_EQ(data["steps"].size(), 7001U);
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
