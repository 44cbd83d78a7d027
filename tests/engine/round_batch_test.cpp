#include "engine/round_batch.h"

#include <gtest/gtest.h>

#include "engine/search_effort.h"

namespace tilebeam::test {
namespace {

constexpr std::size_t kLarge = 1000;
constexpr std::int64_t kByLevel = 0;  // beam widths

TEST(RoundBatchTest, RoundsGoOneByOneInTheFirstCycleAndOnSmallGraphs) {
  RoundBatch batch(kByLevel, kLarge);
  for (std::int64_t round = 0; round < kRoundsOfCycle; ++round) {
    EXPECT_EQ(batch.next(round), 1);
    batch.took(1, 1000, true);
  }
  EXPECT_EQ(RoundBatch(kByLevel, 59).next(40), 1);
}

TEST(RoundBatchTest, WholeGraphsMayHaveMoreMoves) {
  constexpr std::size_t kOps = 60;
  const std::int64_t rounds = roundsUntilCycleIsDone(kOps);
  RoundBatch narrow(kByLevel, kOps);
  RoundBatch wide(kByLevel, kOps);
  for (std::int64_t round = 0; round < rounds; ++round) {
    EXPECT_EQ(narrow.next(round), 1);
    narrow.took(1, 12 * kOps, true);
    wide.took(1, 13 * kOps, true);
  }
  EXPECT_EQ(narrow.next(rounds), 4);
  EXPECT_EQ(wide.next(rounds), 1);
}

TEST(RoundBatchTest, SmallGraphsHaveFewerAtOnce) {
  constexpr std::size_t kOps = 200;
  RoundBatch batch(kByLevel, kOps);
  std::int64_t rounds = roundsUntilCycleIsDone(kOps);
  batch.took(1, 100 * rounds, false);
  for (const std::int64_t expected : {4, 8, 16, 16}) {
    EXPECT_EQ(batch.next(rounds), expected);
    batch.took(expected, 100 * expected, false);
    rounds += expected;
  }
}

TEST(RoundBatchTest, GrowsStepByStepWhileThereIsLittleWork) {
  RoundBatch batch(kByLevel, kLarge);
  std::int64_t rounds = kRoundsOfCycle;
  batch.took(1, 1000 * rounds, true);
  for (const std::int64_t expected : {4, 8, 16, 32, 64, 64}) {
    EXPECT_EQ(batch.next(rounds), expected);
    batch.took(expected, 1000 * expected, true);
    rounds += expected;
  }
}

TEST(RoundBatchTest, RoundsWithWideBeamsGoOneByOne) {
  RoundBatch batch(kByLevel, kLarge);
  batch.took(1, 4 * 5 * kLarge, true);
  EXPECT_EQ(batch.next(4), 1);
  batch.took(1, 0, true);
  EXPECT_EQ(batch.next(5), 4);  // narrow again
}

TEST(RoundBatchTest, RoundsThatComeToNothingNeedNotWaitForEachOther) {
  constexpr std::int64_t kStates = 20 * kLarge;
  RoundBatch batch(kByLevel, kLarge);
  for (std::int64_t round = 0; round < 12; ++round) {
    EXPECT_EQ(batch.next(round), 1) << round;
    batch.took(1, kStates, round < 4);
  }
  EXPECT_EQ(batch.next(12), 4);
  batch.took(4, 4 * kStates, false);
  EXPECT_EQ(batch.next(16), 8);
  batch.took(8, 8 * kStates, true);
  EXPECT_EQ(batch.next(24), 1);
}

TEST(RoundBatchTest, GraphsInOneBeamGoOnRoundByRoundThatComeToNothing) {
  RoundBatch batch(kByLevel, 256);
  batch.took(12, 12 * 20 * kLarge, false);
  EXPECT_EQ(batch.next(12), 1);
}

TEST(RoundBatchTest, WhereWideBeamsAreAskedForCyclesRunAtOnceWhateverTheyFind) {
  RoundBatch batch(1024, kLarge);
  std::int64_t rounds = 0;
  for (const std::int64_t expected : {1, 3, 12, 24, 24}) {
    EXPECT_EQ(batch.next(rounds), expected) << rounds;
    batch.took(expected, 40'000 * expected, true);
    rounds += expected;
  }
}

TEST(RoundBatchTest, AWholeCycleOfWideBeamsRunsAtOnceHoweverMuchItIs) {
  RoundBatch batch(4096, kLarge);
  batch.took(4, 40'000'000, true);
  EXPECT_EQ(batch.next(4), kRoundsOfCycle);
}

TEST(RoundBatchTest, NoMoreThanSixteenCyclesRunAtOnce) {
  RoundBatch batch(4096, kLarge);
  batch.took(400, 0, true);
  EXPECT_EQ(batch.next(400), 16 * kRoundsOfCycle);
}

TEST(RoundBatchTest, WideBeamsAreThoseOf1024AndMoreOfGraphsInSegments) {
  const std::int64_t begun = roundsUntilCycleIsDone(257) - 3;  // the first cycle
  EXPECT_EQ(roundsUntilCycleIsDone(256), begun + 3);
  EXPECT_EQ(RoundBatch(1024, 257).next(begun - 1), 1);
  EXPECT_EQ(RoundBatch(1024, 257).next(begun), 3);
  EXPECT_EQ(RoundBatch(1023, 257).next(begun), 1);
  EXPECT_EQ(RoundBatch(1024, 256).next(begun), 1);
}

TEST(RoundBatchTest, LargeGraphsGetNewsAfterEveryRound) {
  RoundBatch batch(kByLevel, 100'000);
  batch.took(1, 400'000, true);
  EXPECT_EQ(batch.next(4), 1);
}

TEST(RoundBatchTest, NoStatesAreNoHindrance) {
  RoundBatch batch(kByLevel, kLarge);
  batch.took(1, 0, true);
  EXPECT_EQ(batch.next(4), 4);
}

}  // namespace
}  // namespace tilebeam::test
