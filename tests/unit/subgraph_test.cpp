#include "tilebeam/subgraph.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

#include "support/problem_builder.h"
#include "tilebeam/schedule_evaluator.h"

namespace tilebeam::test {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;

// A block with a prologue, a nested MatMul and an epilogue:
//   op 0: t1 = p(t0)            12 columns x 10 rows
//   op 1: t3 = t1 * t2          6 x 10     nested, K = 12
//   op 2: t5 = t3 * t4          8 x 10     root, K = 6
//   op 3: t6 = p(t5)            8 x 10
//   op 4: t8 = p(t6, t7, t5)    8 x 10
Problem block() {
  ProblemBuilder b;
  const TensorId t0 = b.native(16, 16).tensor(12, 10);
  const TensorId t1 = b.pointwise({t0});
  const TensorId t2 = b.tensor(6, 12);
  const TensorId t3 = b.matMul(t1, t2);
  const TensorId t4 = b.tensor(8, 6);
  const TensorId t5 = b.matMul(t3, t4);
  const TensorId t6 = b.pointwise({t5});
  const TensorId t7 = b.tensor(8, 10);
  b.pointwise({t6, t7, t5});
  return b.build();
}

TEST(Subgraph, SortsTensorsByTheirRole) {
  const Problem problem = block();
  const Subgraph s(problem, ops({0, 1, 2, 3, 4}));
  ASSERT_FALSE(s.violation());
  EXPECT_THAT(s.external(), ElementsAreArray(tensors({0, 2, 4, 7})));
  EXPECT_THAT(s.produced(), ElementsAreArray(tensors({1, 3, 5, 6, 8})));
  EXPECT_THAT(s.sinks(), ElementsAreArray(ops({4})));
  EXPECT_TRUE(s.contains(OpId(3)));
  EXPECT_TRUE(s.isExternal(TensorId(7)));
  EXPECT_FALSE(s.isExternal(TensorId(5)));
  EXPECT_TRUE(s.produces(TensorId(5)));
  EXPECT_FALSE(s.produces(TensorId(7)));
  EXPECT_TRUE(s.isSinkOutput(TensorId(8)));
  EXPECT_FALSE(s.isSinkOutput(TensorId(6)));
  EXPECT_FALSE(s.isSinkOutput(TensorId(7)));
}

TEST(Subgraph, FindsTilePositionsThroughPointwiseOpsOnly) {
  const Problem problem = block();
  const Subgraph s(problem, ops({0, 1, 2, 3, 4}));
  for (const TensorId t : tensors({5, 6, 8})) EXPECT_TRUE(s.atTilePosition(t)) << t.value();
  for (const TensorId t : tensors({0, 1, 2, 3, 4, 7})) EXPECT_FALSE(s.atTilePosition(t));
  EXPECT_THAT(s.roots(), ElementsAreArray(ops({2})));
  EXPECT_THAT(s.tileOps(), ElementsAreArray(ops({3, 4})));
}

TEST(Subgraph, KnowsTheGridAndTheReductions) {
  const Problem problem = block();
  const Subgraph s(problem, ops({0, 1, 2, 3, 4}));
  EXPECT_EQ(s.gridWidth(), 8);
  EXPECT_EQ(s.gridHeight(), 10);
  EXPECT_TRUE(s.hasMatMul());
  EXPECT_EQ(s.minReduction(), 6);
  EXPECT_EQ(s.maxRootReduction(), 6);
  const Subgraph nested(problem, ops({0, 1}));
  EXPECT_EQ(nested.minReduction(), 12);
  EXPECT_EQ(nested.maxRootReduction(), 12);
  EXPECT_THAT(nested.roots(), ElementsAreArray(ops({1})));
}

TEST(Subgraph, BoundsTheTileByItsPrologues) {
  const Problem problem = block();
  const Subgraph s(problem, ops({0, 1, 2, 3, 4}));
  EXPECT_EQ(s.prologueWidth(11), 12);
  EXPECT_EQ(s.prologueWidth(12), 1);
  EXPECT_EQ(s.prologueHeight(1), 1);
  EXPECT_FALSE(checkGranularity(s, {12, 1, 6}));
  EXPECT_TRUE(checkGranularity(s, {11, 16, 6}));
  // Without the Pointwise, tensor 1 is loaded.
  EXPECT_EQ(Subgraph(problem, ops({1, 2})).prologueWidth(1), 1);
}

TEST(Subgraph, PointwiseStepsHaveNoReduction) {
  const Problem problem = block();
  const Subgraph s(problem, ops({3, 4}));
  EXPECT_FALSE(s.hasMatMul());
  EXPECT_EQ(s.maxRootReduction(), 0);
  EXPECT_THAT(s.roots(), IsEmpty());
  EXPECT_THAT(s.external(), ElementsAreArray(tensors({5, 7})));
}

TEST(Subgraph, ATensorMayBeAtTilePositionAndAStripAtOnce) {
  // y = x * w, z = y * w + y: y's MatMul is a root, and y is a strip of the other root.
  ProblemBuilder b;
  const TensorId x = b.tensor(8, 8);
  const TensorId w = b.tensor(8, 8);
  const TensorId y = b.matMul(x, w);
  b.pointwise({b.matMul(y, w), y});
  const Problem problem = b.build();
  const Subgraph s(problem, ops({0, 1, 2}));
  EXPECT_THAT(s.roots(), ElementsAreArray(ops({0, 1})));
  EXPECT_TRUE(s.atTilePosition(y));
}

TEST(Subgraph, AnOpMayTakeATensorTwice) {
  ProblemBuilder b;
  const TensorId x = b.tensor(8, 8);
  b.pointwise({x, x});
  b.matMul(x, x);
  const Problem problem = b.build();
  EXPECT_THAT(Subgraph(problem, ops({0})).external(), ElementsAre(x));
  const Subgraph s(problem, ops({0, 1}));
  EXPECT_FALSE(s.violation());
  EXPECT_THAT(s.sinks(), ElementsAreArray(ops({0, 1})));
}

TEST(Subgraph, NamesTheRuleItBreaks) {
  const Problem problem = block();
  const auto rule = [&](std::initializer_list<std::int32_t> list) {
    const Subgraph s(problem, ops(list));
    return s.violation() ? s.violation()->rule : 0;
  };
  EXPECT_EQ(rule({}), 1);
  EXPECT_EQ(rule({3, 3}), 1);
  EXPECT_EQ(rule({1, 0}), 1);
  EXPECT_EQ(rule({0, 3}), 2);
  EXPECT_EQ(rule({0, 1, 3, 4}), 2);
  EXPECT_EQ(rule({2, 4}), 0);  // op 4 takes op 2's output beside op 3's
}

TEST(Subgraph, ThousandsOfOpsAreNoBurden) {
  constexpr std::int32_t kOps = 200'000;
  ProblemBuilder b;
  TensorId t = b.tensor(2, 2);
  for (std::int32_t i = 0; i < kOps; ++i) t = b.pointwise({t});
  const Problem problem = b.build();
  std::vector<OpId> all;
  for (std::int32_t i = 0; i < kOps; ++i) all.emplace_back(i);
  const Subgraph s(problem, all);
  EXPECT_FALSE(s.violation());
  EXPECT_EQ(s.tileOps().size(), static_cast<std::size_t>(kOps));
  std::reverse(all.begin(), all.end());
  EXPECT_EQ(Subgraph(problem, all).violation()->rule, 1);
}

}  // namespace
}  // namespace tilebeam::test
