#include "engine/state_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <thread>

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
  std::vector<SearchState> best;
  for (const SearchState& state : states) {
    const auto same = std::find_if(best.begin(), best.end(),
                                   [&](const SearchState& b) { return b.hash == state.hash; });
    if (same == best.end()) {
      best.push_back(state);
    } else if (state.betterThan(*same)) {
      *same = state;
    }
  }
  std::sort(best.begin(), best.end(),
            [](const SearchState& a, const SearchState& b) { return a.betterThan(b); });
  return best;
}

std::vector<CandidateId> candidatesOf(const std::vector<SearchState>& states) {
  std::vector<CandidateId> candidates;
  for (const SearchState& state : states) candidates.push_back(state.node.candidate);
  return candidates;
}

TEST(StateTableTest, SaysWhetherAnEqualStateWasThere) {
  StateTable table;
  SearchState state;
  state.hash = 5;
  EXPECT_FALSE(table.offer(state));
  EXPECT_TRUE(table.offer(state));
  state.hash = 6;
  EXPECT_FALSE(table.offer(state));
  EXPECT_EQ(table.size(), 2U);
}

TEST(StateTableTest, KeepsTheBestOfEqualStatesFromManyThreads) {
  const std::vector<SearchState> states = randomStates(8000, 97, 11);
  constexpr std::size_t kThreads = 8;
  for (int round = 0; round < 5; ++round) {
    StateTable table;
    std::atomic<int> duplicates = 0;
    {
      std::vector<std::jthread> threads;
      for (std::size_t first = 0; first < kThreads; ++first) {
        threads.emplace_back([&, first] {
          for (std::size_t i = first; i < states.size(); i += kThreads) {
            if (table.offer(states[i])) ++duplicates;
          }
        });
      }
    }
    EXPECT_EQ(table.size(), 97U);
    EXPECT_EQ(static_cast<std::size_t>(duplicates) + table.size(), states.size());
    EXPECT_EQ(candidatesOf(table.takeBest(1000)), candidatesOf(bestOfEach(states)));
  }
}

TEST(StateTableTest, TakesTheBestWhateverTheOrderOfArrival) {
  std::vector<SearchState> states = randomStates(3000, 500, 12);
  std::vector<SearchState> expected = bestOfEach(states);
  expected.resize(64);
  std::mt19937 shuffler(1);
  for (int round = 0; round < 10; ++round) {
    std::shuffle(states.begin(), states.end(), shuffler);
    StateTable table;
    for (const SearchState& state : states) table.offer(state);
    EXPECT_EQ(candidatesOf(table.takeBest(64)), candidatesOf(expected));
    EXPECT_EQ(table.size(), 0U);
  }
}

TEST(StateTableTest, PrunesToTheBestAndRaisesItsThreshold) {
  const std::vector<SearchState> states = randomStates(1000, 400, 13);
  std::vector<SearchState> expected = bestOfEach(states);
  StateTable table;
  for (const SearchState& state : states) table.offer(state);
  table.prune(1000);
  EXPECT_EQ(table.threshold(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(table.size(), expected.size());

  expected.resize(32);
  table.prune(32);
  EXPECT_EQ(table.threshold(), expected.back().score);
  EXPECT_EQ(candidatesOf(table.takeBest(32)), candidatesOf(expected));
}

}  // namespace
}  // namespace tilebeam::test
