#include "engine/search_state.h"

#include <gtest/gtest.h>

#include <vector>

#include "support/random_steps.h"

namespace tilebeam::test {
namespace {

CoveredWindow windowOf(Position begin, Position end) {
  CoveredWindow window;
  for (Position p = begin; p < end; ++p) window.set(p);
  return window;
}

TEST(CoveredWindowTest, StandsStillBeforeAnOpenOp) {
  CoveredWindow window = windowOf(1, kMaxWindow);
  EXPECT_EQ(window.advance(), 0);
  EXPECT_FALSE(window.test(0));
  EXPECT_TRUE(window.test(1));
  EXPECT_TRUE(window.test(kMaxWindow - 1));
}

TEST(CoveredWindowTest, DropsRunsOfEveryLength) {
  for (Position length = 0; length <= kMaxWindow; ++length) {
    CoveredWindow window = windowOf(0, length);
    EXPECT_EQ(window.advance(), length);
    for (Position p = 0; p < kMaxWindow; ++p) ASSERT_FALSE(window.test(p)) << length << ' ' << p;
  }
}

TEST(CoveredWindowTest, KeepsWhatLiesBeyondTheRun) {
  for (const Position run : {1, 63, 64, 65, 127, 128, 129, 192, 254}) {
    CoveredWindow window = windowOf(0, run);
    window.set(run + 1);
    EXPECT_EQ(window.advance(), run);
    EXPECT_FALSE(window.test(0)) << run;
    EXPECT_TRUE(window.test(1)) << run;
  }
}

TEST(CoveredWindowTest, AgreesWithAListOfFlags) {
  Random random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<bool> flags(kMaxWindow, false);
    CoveredWindow window;
    const int density = static_cast<int>(random.between(5, 99));
    for (Position p = 0; p < kMaxWindow; ++p) {
      if (!random.chance(density)) continue;
      flags[static_cast<std::size_t>(p)] = true;
      window.set(p);
    }
    Position run = 0;
    while (run < kMaxWindow && flags[static_cast<std::size_t>(run)]) ++run;
    ASSERT_EQ(window.advance(), run);
    for (Position p = 0; p < kMaxWindow; ++p) {
      const bool expected = p + run < kMaxWindow && flags[static_cast<std::size_t>(p + run)];
      ASSERT_EQ(window.test(p), expected) << "offset " << p;
    }
  }
}

TEST(SearchStateTest, KnowsWhatIsCovered) {
  SearchState state;
  state.watermark = 10;
  state.window.set(3);
  EXPECT_TRUE(state.isCovered(0));
  EXPECT_TRUE(state.isCovered(9));
  EXPECT_FALSE(state.isCovered(10));
  EXPECT_TRUE(state.isCovered(13));
  EXPECT_FALSE(state.isCovered(10 + kMaxWindow));
}

TEST(TensorListTest, HoldsAFew) {
  TensorList<2> list;
  EXPECT_TRUE(list.empty());
  EXPECT_TRUE(list.add(TensorId(4)));
  EXPECT_TRUE(list.add(TensorId(9)));
  EXPECT_FALSE(list.add(TensorId(5)));
  EXPECT_FALSE(list.contains(TensorId(5)));
  EXPECT_TRUE(list.remove(TensorId(4)));
  EXPECT_FALSE(list.remove(TensorId(4)));
  EXPECT_TRUE(list.contains(TensorId(9)));
  EXPECT_EQ(list.size(), 1U);
  list.clear();
  EXPECT_FALSE(list.contains(TensorId(9)));
}

TEST(SearchStateTest, ComparesByScoreThenProgressThenCostThenContent) {
  SearchState low, high;
  low.score = 1;
  high.score = 2;
  EXPECT_TRUE(low.betterThan(high));
  EXPECT_FALSE(high.betterThan(low));

  low.score = high.score;
  low.node.candidate = 3;
  high.node.candidate = 4;
  EXPECT_TRUE(low.betterThan(high));
  EXPECT_FALSE(high.betterThan(low));
  EXPECT_FALSE(low.betterThan(low));

  high.watermark = 1;
  EXPECT_TRUE(high.betterThan(low));
  low.watermark = 1;
  high.cost = -1;
  EXPECT_TRUE(high.betterThan(low));
}

TEST(SearchStateTest, HashesOpsResidentsAndDroppedApart) {
  for (std::int32_t i = 0; i < 1000; ++i) {
    EXPECT_NE(zobristOp(i), zobristResident(TensorId(i)));
    EXPECT_NE(zobristOp(i), zobristDropped(TensorId(i)));
    EXPECT_NE(zobristResident(TensorId(i)), zobristDropped(TensorId(i)));
    EXPECT_NE(zobristOp(i), zobristOp(i + 1));
  }
}

}  // namespace
}  // namespace tilebeam::test
