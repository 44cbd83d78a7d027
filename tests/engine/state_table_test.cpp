#include "engine/state_table.h"

#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <map>
#include <random>

#include "support/random_steps.h"

namespace tilebeam::test {
namespace {

// States of `kinds` different contents; equal ones differ in how they came about.
std::vector<SearchState> randomStates(std::size_t count, std::int64_t kinds, std::uint64_t seed) {
  Random random(seed);
  std::vector<SearchState> states(count);
  for (std::size_t i = 0; i < count; ++i) {
    SearchState& state = states[i];
    state.hash = mix(static_cast<std::uint64_t>(random.between(1, kinds)));
    state.score = static_cast<double>(random.between(0, 50));  // ties are common
    state.cost = state.score;
    state.node.candidate = static_cast<CandidateId>(i);
  }
  return states;
}

std::vector<SearchState> bestOfEach(const std::vector<SearchState>& states) {
  std::map<std::uint64_t, SearchState> bests;
  for (const SearchState& state : states) {
    const auto [place, isNew] = bests.emplace(state.hash, state);
    if (!isNew && state.betterThan(place->second)) place->second = state;
  }
  std::vector<SearchState> best;
  for (const auto& [hash, state] : bests) best.push_back(state);
  std::sort(best.begin(), best.end(),
            [](const SearchState& a, const SearchState& b) { return a.betterThan(b); });
  return best;
}

std::vector<CandidateId> candidatesOf(const std::vector<SearchState>& states) {
  std::vector<CandidateId> candidates;
  for (const SearchState& state : states) candidates.push_back(state.node.candidate);
  return candidates;
}

std::vector<SearchState> taken(StateTable& table) {
  std::vector<SearchState> best;
  table.takeBest(best);
  return best;
}

TEST(StateTableTest, SaysWhetherAnEqualStateWasThere) {
  StateTable table(16);
  SearchState state;
  state.hash = 5;
  EXPECT_FALSE(table.offer(state));
  EXPECT_TRUE(table.offer(state));
  state.hash = 6;
  EXPECT_FALSE(table.offer(state));
  EXPECT_EQ(table.size(), 2U);
}

// Equal states come from several workers, in no order, before the table is pruned and after.
TEST(StateTableTest, KeepsTheBestOfEqualStatesFromManyThreads) {
  namespace tbb = oneapi::tbb;
  constexpr std::size_t kWorkers = 8;
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, kWorkers);
  tbb::task_arena arena(kWorkers);
  for (const std::int64_t kinds : {20, 97, 3000}) {
    const std::vector<SearchState> states = randomStates(12000, kinds, 11);
    std::vector<SearchState> expected = bestOfEach(states);
    for (const std::size_t width : {1000U, 40U}) {
      if (expected.size() > width) expected.resize(width);
      arena.execute([&] {
        StateTable table(width);
        for (int round = 0; round < 3; ++round) {
          if (round > 0) table.widenFor(width);
          const auto offerSome = [&](std::size_t first) {
            tbb::parallel_for(first, first + states.size() / 2, [&](std::size_t i) {
              if (states[i].score <= table.threshold()) table.offer(states[i]);
            });
          };
          offerSome(0);
          if (round > 1) table.prune();
          offerSome(states.size() / 2);
          EXPECT_EQ(candidatesOf(taken(table)), candidatesOf(expected)) << kinds << ' ' << width;
          EXPECT_EQ(table.size(), 0U);
        }
      });
    }
  }
}

// From tables of one shard and of many, with few states for their width and with many.
TEST(StateTableTest, TakesTheBestWhateverTheOrderOfArrival) {
  std::mt19937 shuffler(1);
  for (const std::size_t width : {1U, 3U, 64U, 500U, 4096U}) {
    for (const std::int64_t kinds : {2, 400, 9000}) {
      std::vector<SearchState> states =
          randomStates(2 * static_cast<std::size_t>(kinds), kinds, 12);
      std::vector<SearchState> expected = bestOfEach(states);
      if (expected.size() > width) expected.resize(width);
      StateTable table(width);
      for (int round = 0; round < 3; ++round) {
        std::shuffle(states.begin(), states.end(), shuffler);
        for (std::size_t i = 0; i < states.size(); ++i) {
          table.offer(states[i]);
          if (round > 0 && i % (states.size() / 3) == 0) table.widenFor(i + 1);
        }
        EXPECT_EQ(candidatesOf(taken(table)), candidatesOf(expected)) << width << ' ' << kinds;
        EXPECT_EQ(table.size(), 0U);
      }
    }
  }
}

TEST(StateTableTest, WidensForMoreStatesAndKeepsThem) {
  StateTable table(4096);
  EXPECT_FALSE(table.isNarrowFor(1));
  EXPECT_TRUE(table.isNarrowFor(4096));
  const std::vector<SearchState> states = randomStates(700, 1 << 30, 16);
  for (const SearchState& state : states) table.offer(state);
  table.widenFor(4096);
  EXPECT_FALSE(table.isNarrowFor(4096));
  for (const SearchState& state : states) EXPECT_TRUE(table.offer(state));
  EXPECT_EQ(table.size(), states.size());
  EXPECT_EQ(candidatesOf(taken(table)), candidatesOf(bestOfEach(states)));
}

// What was chosen from may be cleared later, part by part; then nothing of it is left.
TEST(StateTableTest, IsAsNewOnceAllPartsAreCleared) {
  constexpr std::size_t kWidth = 1024;
  StateTable table(kWidth);
  table.widenFor(kWidth);
  const auto first = randomStates(4000, 3000, 1);
  for (const SearchState& state : first) table.offer(state);
  std::vector<SearchState> best;
  table.chooseBest(best);
  auto expected = bestOfEach(first);
  expected.resize(kWidth);
  EXPECT_EQ(candidatesOf(best), candidatesOf(expected));
  ASSERT_GT(table.clearings(), 1U);
  oneapi::tbb::parallel_for(std::size_t{0}, table.clearings(),
                            [&](std::size_t part) { table.clear(part); });
  table.cleared();
  EXPECT_EQ(table.clearings(), 0U);
  EXPECT_EQ(table.size(), 0U);
  const auto second = randomStates(500, 400, 2);
  for (const SearchState& state : second) table.offer(state);
  EXPECT_EQ(candidatesOf(taken(table)), candidatesOf(bestOfEach(second)));
}

TEST(StateTableTest, TakesStatesOfOneScore) {
  std::vector<SearchState> states = randomStates(9000, 1 << 30, 14);
  for (SearchState& state : states) state.score = state.cost = 7;
  std::vector<SearchState> expected = bestOfEach(states);
  expected.resize(2048);
  StateTable table(2048);
  table.widenFor(2048);
  for (const SearchState& state : states) table.offer(state);
  EXPECT_EQ(candidatesOf(taken(table)), candidatesOf(expected));
}

TEST(StateTableTest, PrunesToTheBestAndRaisesItsThreshold) {
  for (const std::size_t width : {1U, 32U, 600U, 3000U}) {
    const std::vector<SearchState> states = randomStates(20000, 8000, 13);
    std::vector<SearchState> expected = bestOfEach(states);
    expected.resize(width);
    StateTable table(width);
    table.widenFor(states.size());
    for (const SearchState& state : states) table.offer(state);
    table.prune();
    EXPECT_EQ(table.threshold(), expected.back().score);
    EXPECT_EQ(table.size(), width);
    EXPECT_FALSE(table.crowded());
    EXPECT_EQ(candidatesOf(taken(table)), candidatesOf(expected));
    EXPECT_EQ(table.threshold(), std::numeric_limits<double>::infinity());
  }
}

TEST(StateTableTest, PruningLeavesFewStatesAlone) {
  const std::vector<SearchState> states = randomStates(1000, 400, 13);
  StateTable table(1000);
  for (const SearchState& state : states) table.offer(state);
  const std::size_t size = table.size();
  table.prune();
  EXPECT_EQ(table.threshold(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(table.size(), size);
}

TEST(StateTableTest, IsCrowdedWithSeveralTimesItsWidth) {
  for (const std::size_t width : {1U, 100U, 2000U}) {
    StateTable table(width);
    const std::vector<SearchState> states = randomStates(8 * width, 1 << 30, 15);
    for (std::size_t i = 0; i < 2 * width; ++i) table.offer(states[i]);
    EXPECT_FALSE(table.crowded());
    for (const SearchState& state : states) table.offer(state);
    EXPECT_TRUE(table.crowded());
  }
}

}  // namespace
}  // namespace tilebeam::test
