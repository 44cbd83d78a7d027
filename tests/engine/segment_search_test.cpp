#include "engine/segment_search.h"

#include <gtest/gtest.h>

#include <numeric>

#include "support/problem_builder.h"
#include "support/solve_checks.h"

namespace tilebeam::test {
namespace {

TEST(CutSegments, MakeUpTheGraphInRunsOfAboutTheSizeAskedFor) {
  for (const auto& kind : generator::kinds()) {
    const Problem problem = generated(kind.name, std::min(kind.maxOps, 700));
    for (const std::size_t ops : {2U, 16U, 64U, 192U}) {
      for (const double shift : {1.0, 0.5}) {
        const auto segments = cutSegments(problem, ops, shift);
        Position next = 0;
        for (const Segment& s : segments) {
          EXPECT_EQ(s.first, next);
          EXPECT_GT(s.last, s.first);
          EXPECT_LE(static_cast<std::size_t>(s.last - s.first), ops + ops / 4 + 1);
          next = s.last;
        }
        EXPECT_EQ(static_cast<std::size_t>(next), problem.opCount());
      }
    }
  }
}

// A graph of blocks of 16 ops, each a fan that one op gathers: only one tensor crosses between
// them.
TEST(CutSegments, CutWhereFewTensorsCross) {
  ProblemBuilder builder;
  TensorId carried = builder.tensor(64, 64);
  for (int block = 0; block < 8; ++block) {
    std::vector<TensorId> fan;
    for (int i = 0; i < 15; ++i) fan.push_back(builder.pointwise({carried}));
    carried = builder.pointwise(fan);
  }
  const Problem problem = builder.build();
  for (const Segment& s : cutSegments(problem, 20, 1)) {
    EXPECT_EQ(s.last % 16, 0) << s.last;
  }
}

// The second op fits only in a step with the first.
TEST(SegmentSearch, HasNoPlanWhereACutPartsWhatFitsOnlyTogether) {
  ProblemBuilder b;
  TensorId x = b.capacity(2).native(4, 4).tensor(4, 4);
  for (int pair = 0; pair < 4; ++pair) x = b.pointwise({b.pointwise({x}), x});
  const Problem problem = b.build();
  StepScorer scorer(problem, DepthReading::kNative);
  const RoundEffort effort = effortOfRound(1, problem.opCount());
  const std::vector<double> floors(problem.opCount(), 0);
  const OpPrices singles = singlePrices(scorer);
  const auto plan = [&](const std::vector<Segment>& segments) {
    OpPrices prices = singles;
    return SegmentSearch(scorer, effort, floors, BeamOptions{}).run(segments, prices, &singles, [] {
      return false;
    });
  };
  EXPECT_FALSE(plan({{0, 3}, {3, 8}}));
  const auto whole = plan({{0, 2}, {2, 6}, {6, 8}});
  ASSERT_TRUE(whole);
  EXPECT_EQ(std::accumulate(whole->steps.begin(), whole->steps.end(), std::size_t{0},
                            [](std::size_t n, const PlannedStep& s) { return n + s.ops.size(); }),
            8U);
}

}  // namespace
}  // namespace tilebeam::test
