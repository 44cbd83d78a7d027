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
    batch.took(1, 1000);
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
    narrow.took(1, 12 * kOps);
    wide.took(1, 13 * kOps);
  }
  EXPECT_EQ(narrow.next(rounds, kOps), 4);
  EXPECT_EQ(wide.next(rounds, kOps), 1);
}

TEST(RoundBatchTest, GrowsStepByStepWhileThereIsLittleWork) {
  RoundBatch batch;
  std::int64_t rounds = kRoundsOfCycle;
  batch.took(1, 1000 * rounds);
  for (const std::int64_t expected : {4, 8, 16, 16}) {
    EXPECT_EQ(batch.next(rounds, kLarge), expected);
    batch.took(expected, 1000 * expected);
    rounds += expected;
  }
}

TEST(RoundBatchTest, RoundsWithWideBeamsGoOneByOne) {
  RoundBatch batch;
  batch.took(1, 4 * 5 * kLarge);
  EXPECT_EQ(batch.next(4, kLarge), 1);
  batch.took(1, 0);
  EXPECT_EQ(batch.next(5, kLarge), 4);  // narrow again
}

TEST(RoundBatchTest, LargeGraphsGetNewsAfterEveryRound) {
  RoundBatch batch;
  batch.took(1, 400'000);
  EXPECT_EQ(batch.next(4, 100'000), 1);
}

TEST(RoundBatchTest, NoStatesAreNoHindrance) {
  RoundBatch batch;
  batch.took(1, 0);
  EXPECT_EQ(batch.next(4, kLarge), 4);
}

}  // namespace
}  // namespace tilebeam::test
