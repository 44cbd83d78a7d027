#include "engine/search_effort.h"

#include <gtest/gtest.h>

namespace tilebeam {
namespace {

// Wider in the sense that a round of it takes longer.
bool widerThan(const RoundEffort& a, const RoundEffort& b) {
  return a.generator.maxOps > b.generator.maxOps && a.beamWidth > b.beamWidth;
}

TEST(SearchEffort, SmallGraphsBeginWithACycle) {
  for (const unsigned ops : {1U, 12U, 401U, 100000U}) {
    EXPECT_EQ(effortOfRound(1, ops).prices, PriceSource::kShares) << ops;
    EXPECT_EQ(effortOfRound(2, ops).prices, PriceSource::kIncumbent) << ops;
    EXPECT_EQ(effortOfRound(3, ops).kind, RoundKind::kWindows) << ops;
    EXPECT_EQ(effortOfRound(4, ops).kind, RoundKind::kWindows) << ops;
    EXPECT_EQ(effortOfRound(5, ops).kind, RoundKind::kBeam) << ops;
  }
}

TEST(SearchEffort, OthersHaveAnOpeningOfTwoQuickBeamsAndLocalChanges) {
  for (const unsigned ops : {13U, 100U, 400U}) {
    std::int64_t before = 0;
    for (const std::int64_t round : {1, 2, 7}) {
      const RoundEffort effort = effortOfRound(round, ops);
      EXPECT_EQ(effort.kind, RoundKind::kBeam) << ops;
      EXPECT_EQ(effort.prices, PriceSource::kShares) << ops;
      EXPECT_TRUE(effort.freshPrices) << ops;
      EXPECT_TRUE(before == 0 || widerThan(effort, effortOfRound(before, ops))) << ops;
      before = round;
    }
    for (const std::int64_t round : {3, 4, 5, 6}) {
      EXPECT_EQ(effortOfRound(round, ops).kind, RoundKind::kMerging) << ops;
    }
    EXPECT_EQ(effortOfRound(8, ops).prices, PriceSource::kIncumbent) << ops;
    EXPECT_FALSE(effortOfRound(8, ops).freshPrices) << ops;
    EXPECT_EQ(effortOfRound(9, ops).kind, RoundKind::kWindows) << ops;
    EXPECT_TRUE(widerThan(effortOfRound(11, ops), effortOfRound(7, ops))) << ops;
  }
}

TEST(SearchEffort, LocalChangesToGraphsThatAreSearchedWholeHaveTrials) {
  for (std::int64_t round = 1; round < 20; ++round) {
    const RoundEffort effort = effortOfRound(round, kMostOpsInOne);
    EXPECT_EQ(effort.merging.trials > 0, effort.kind != RoundKind::kBeam) << round;
    EXPECT_LE(effortOfRound(round, kMostOpsInOne + 1).merging.trials, 1U) << round;
    EXPECT_EQ(effortOfRound(round, 10000).merging.trials, 0U) << round;
  }
}

TEST(SearchEffort, GoesOnForEver) {
  for (const unsigned ops : {10U, 100U, 1000U, 1000000U}) {
    for (std::int64_t round = 1; round < 300; ++round) {
      EXPECT_GT(effortOfRound(round, ops).beamWidth, 0U);
      EXPECT_GT(effortOfRound(round, ops).windowOps, 0U);
    }
  }
}

}  // namespace
}  // namespace tilebeam
