// What the pictures are made of: loads by tensor, the graph of runs, and where its boxes go.
#include <gmock/gmock.h>

#include "cli/graph_layout.h"
#include "cli/picture_graph.h"
#include "cli/schedule_picture.h"
#include "support/problem_builder.h"
#include "support/random_schedules.h"

namespace tilebeam::test {
namespace {

using cli::Layout;
using cli::LayoutSize;
using Edges = std::vector<std::pair<std::size_t, std::size_t>>;

cli::SchedulePicture pictureOf(const Problem& problem, const Schedule& schedule) {
  Evaluation evaluation = ScheduleEvaluator(problem).evaluate(schedule);
  EXPECT_TRUE(evaluation.valid());
  return cli::pictureOf("", problem, schedule, std::move(evaluation), DepthReading::kNative,
                        {0, schedule.steps.size() - 1});
}

TEST(SchedulePicture, LoadsByTensor) {
  ProblemBuilder builder;
  const TensorId lhs = builder.tensor(128, 128);
  const TensorId rhs = builder.tensor(128, 128);
  builder.matMul(lhs, rhs);
  const Problem problem = builder.build();
  // Four tiles by raster: each strip of the LHS stays for the tile beside, those of the RHS
  // alternate.
  const Schedule schedule{{step({0}, {64, 64, 128})}};
  const cli::SchedulePicture picture = pictureOf(problem, schedule);
  ASSERT_EQ(picture.steps[0].loads.size(), 2U);
  EXPECT_EQ(picture.steps[0].loads[0].tensor, lhs);
  EXPECT_EQ(picture.steps[0].loads[0].elements, 128 * 128);
  EXPECT_EQ(picture.steps[0].loads[1].elements, 2 * 128 * 128);
}

TEST(SchedulePicture, LoadsAndStoresByTensorSumUp) {
  int schedules = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const Problem problem = randomDag(random, 8);
    const std::optional<Schedule> schedule = randomSchedule(problem, random);
    if (!schedule) continue;
    ++schedules;
    const cli::SchedulePicture picture = pictureOf(problem, *schedule);
    double end = 0;
    for (std::size_t s = 0; s < picture.steps.size(); ++s) {
      const StepReport& report = picture.evaluation.steps[s];
      double loads = 0;
      for (const cli::TensorLoad& load : picture.steps[s].loads) loads += load.elements;
      EXPECT_EQ(loads, report.account.loads) << seed << " " << s;
      double stores = 0;
      for (const TensorId t : report.stored)
        stores += static_cast<double>(problem.tensor(t).area());
      EXPECT_EQ(stores, report.account.stores) << seed << " " << s;
      EXPECT_DOUBLE_EQ(picture.steps[s].start, end);
      end += report.account.cost.latency;
    }
  }
  EXPECT_GT(schedules, 20);
}

// Each run takes each of its inputs once, from where it is.
TEST(PictureGraph, EdgesLeadToLaterNodes) {
  std::size_t retained = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const Problem problem = randomDag(random, 8);
    const std::optional<Schedule> schedule = randomSchedule(problem, random);
    if (!schedule) continue;
    const cli::SchedulePicture picture = pictureOf(problem, *schedule);
    const cli::PictureGraph graph = cli::pictureGraph(picture);
    std::vector<std::vector<TensorId>> taken(graph.nodes.size());
    for (const cli::PictureEdge& edge : graph.edges) {
      ASSERT_LT(edge.from, edge.to);
      ASSERT_LT(edge.to, graph.nodes.size());
      const cli::PictureNode& from = graph.nodes[edge.from];
      const cli::PictureNode& to = graph.nodes[edge.to];
      EXPECT_NE(from.isOp(), to.isOp());
      if (to.isOp()) taken[edge.to].push_back(from.tensor);
      if (to.isOp() && from.step && from.step != to.step) {
        EXPECT_TRUE(edge.retained ? from.retained && *from.step + 1 == *to.step : from.stored);
      }
      retained += edge.retained ? 1 : 0;
    }
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
      if (!graph.nodes[n].isOp()) continue;
      EXPECT_EQ(taken[n], problem.op(graph.nodes[n].op).inputs);
    }
  }
  EXPECT_GT(retained, 20U);
}

bool overlap(const Layout& layout, const std::vector<LayoutSize>& boxes, std::size_t a,
             std::size_t b) {
  const auto [ax, ay] = layout.corners[a];
  const auto [bx, by] = layout.corners[b];
  return ax < bx + boxes[b].width - 1e-9 && bx < ax + boxes[a].width - 1e-9 &&
         ay < by + boxes[b].height - 1e-9 && by < ay + boxes[a].height - 1e-9;
}

TEST(GraphLayout, BoxesLieBelowTheirPredecessors) {
  const std::vector<LayoutSize> boxes(4, {10, 5});
  const Layout layout = cli::layeredLayout(boxes, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}, {4, 6, 0});
  EXPECT_EQ(layout.corners[0].y, 0);
  EXPECT_EQ(layout.corners[1].y, 11);
  EXPECT_EQ(layout.corners[2].y, 11);
  EXPECT_EQ(layout.corners[3].y, 22);
  EXPECT_EQ(layout.corners[0].x, 7);
  EXPECT_EQ(layout.corners[1].x, 0);
  EXPECT_EQ(layout.corners[2].x, 14);
  EXPECT_EQ(layout.corners[3].x, 7);
  EXPECT_EQ(layout.size.width, 24);
  EXPECT_EQ(layout.size.height, 27);
}

TEST(GraphLayout, NoTwoBoxesOverlap) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    std::vector<LayoutSize> boxes;
    Edges edges;
    for (std::int64_t b = 0; b < 40; ++b) {
      boxes.push_back({1.0 * static_cast<double>(random.between(5, 60)),
                       1.0 * static_cast<double>(random.between(5, 60))});
      for (std::int64_t i = random.between(0, 2); b > 0 && i > 0; --i) {
        edges.emplace_back(random.between(0, b - 1), b);
      }
    }
    const Layout layout = cli::layeredLayout(boxes, edges, {8, 12, seed % 2 == 0 ? 1.5 : 0});
    for (std::size_t a = 0; a < boxes.size(); ++a) {
      EXPECT_GE(layout.corners[a].x, -1e-9);
      EXPECT_LE(layout.corners[a].x + boxes[a].width, layout.size.width + 1e-9);
      EXPECT_LE(layout.corners[a].y + boxes[a].height, layout.size.height + 1e-9);
      for (std::size_t b = a + 1; b < boxes.size(); ++b) {
        EXPECT_FALSE(overlap(layout, boxes, a, b)) << seed << ": " << a << " " << b;
      }
    }
  }
}

TEST(GraphLayout, ComesNearTheWantedShape) {
  constexpr std::size_t kCount = 2000;
  const std::vector<LayoutSize> boxes(kCount, {40, 20});
  Edges chain;
  for (std::size_t b = 1; b < kCount; ++b) chain.emplace_back(b - 1, b);
  for (const Edges& edges : {chain, Edges{}}) {
    const Layout layout = cli::layeredLayout(boxes, edges, {10, 10, 2});
    EXPECT_GT(layout.size.width / layout.size.height, 1.2);
    EXPECT_LT(layout.size.width / layout.size.height, 3.4);
  }
}

}  // namespace
}  // namespace tilebeam::test
