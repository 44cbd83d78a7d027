#include "engine/round_batch.h"

#include <gtest/gtest.h>

#include "engine/search_effort.h"

namespace tilebeam::test {
namespace {

constexpr std::size_t kLarge = 1000;

TEST(RoundBatchTest, RoundsGoOneByOneInTheFirstCycleAndOnSmallGraphs) {
  RoundBatch batch;
  for (std::int64_t round = 0; round < kRoundsOfCycle; ++round) {
    EXPECT_EQ(batch.next(round, kLarge), 1);
    batch.took(1, 1000, true);
  }
  EXPECT_EQ(batch.next(40, 59), 1);
}

TEST(RoundBatchTest, WholeGraphsMayHaveMoreMoves) {
  constexpr std::size_t kOps = 60;
  const std::int64_t rounds = roundsUntilCycleIsDone(kOps);
  RoundBatch narrow;
  RoundBatch wide;
  for (std::int64_t round = 0; round < rounds; ++round) {
    EXPECT_EQ(narrow.next(round, kOps), 1);
    narrow.took(1, 12 * kOps, true);
    wide.took(1, 13 * kOps, true);
  }
  EXPECT_EQ(narrow.next(rounds, kOps), 4);
  EXPECT_EQ(wide.next(rounds, kOps), 1);
}

TEST(RoundBatchTest, SmallGraphsHaveFewerAtOnce) {
  constexpr std::size_t kOps = 200;
  RoundBatch batch;
  std::int64_t rounds = roundsUntilCycleIsDone(kOps);
  batch.took(1, 100 * rounds, false);
  for (const std::int64_t expected : {4, 8, 16, 16}) {
    EXPECT_EQ(batch.next(rounds, kOps), expected);
    batch.took(expected, 100 * expected, false);
    rounds += expected;
  }
}

TEST(RoundBatchTest, GrowsStepByStepWhileThereIsLittleWork) {
  RoundBatch batch;
  std::int64_t rounds = kRoundsOfCycle;
  batch.took(1, 1000 * rounds, true);
  for (const std::int64_t expected : {4, 8, 16, 32, 64, 64}) {
    EXPECT_EQ(batch.next(rounds, kLarge), expected);
    batch.took(expected, 1000 * expected, true);
    rounds += expected;
  }
}

TEST(RoundBatchTest, RoundsWithWideBeamsGoOneByOne) {
  RoundBatch batch;
  batch.took(1, 4 * 5 * kLarge, true);
  EXPECT_EQ(batch.next(4, kLarge), 1);
  batch.took(1, 0, true);
  EXPECT_EQ(batch.next(5, kLarge), 4);  // narrow again
}

TEST(RoundBatchTest, RoundsThatComeToNothingNeedNotWaitForEachOther) {
  constexpr std::int64_t kStates = 20 * kLarge;
  RoundBatch batch;
  for (std::int64_t round = 0; round < 12; ++round) {
    EXPECT_EQ(batch.next(round, kLarge), 1) << round;
    batch.took(1, kStates, round < 4);
  }
  EXPECT_EQ(batch.next(12, 256), 1);  // in one beam
  EXPECT_EQ(batch.next(12, kLarge), 4);
  batch.took(4, 4 * kStates, false);
  EXPECT_EQ(batch.next(16, kLarge), 8);
  batch.took(8, 8 * kStates, true);
  EXPECT_EQ(batch.next(24, kLarge), 1);
}

TEST(RoundBatchTest, LargeGraphsGetNewsAfterEveryRound) {
  RoundBatch batch;
  batch.took(1, 400'000, true);
  EXPECT_EQ(batch.next(4, 100'000), 1);
}

TEST(RoundBatchTest, NoStatesAreNoHindrance) {
  RoundBatch batch;
  batch.took(1, 0, true);
  EXPECT_EQ(batch.next(4, kLarge), 4);
}

}  // namespace
}  // namespace tilebeam::test
