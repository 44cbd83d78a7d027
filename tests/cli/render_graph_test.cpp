// The graphs of `tilebeam render`, as text for Graphviz and Mermaid.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <set>

#include "support/markup_checks.h"
#include "support/render_fixture.h"

namespace tilebeam::test {
namespace {

using RenderGraph = RenderTest;
using nlohmann::json;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

TEST_F(RenderGraph, DotOfASchedule) {
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

TEST_F(RenderGraph, MermaidOfASchedule) {
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

TEST_F(RenderGraph, GraphWithoutASchedule) {
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
TEST_F(RenderGraph, DotOfALargerScheduleHangsTogether) {
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

}  // namespace
}  // namespace tilebeam::test
