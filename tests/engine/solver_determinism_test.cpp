// Same input, same options, same fixed work: the same bytes, run after run, whatever the number of
// threads and however the work is parcelled out.
#include <gtest/gtest.h>

#include "support/solve_checks.h"

namespace tilebeam::test {
namespace {

struct Outcome {
  std::string schedule;
  std::vector<double> history;
  std::int64_t rounds = 0;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome outcomeOf(const Problem& problem, const SolverOptions& options) {
  const SolveResult result = solve(problem, options);
  Outcome outcome{written(problem, result), {}, result.counters.rounds};
  for (const Incumbent& incumbent : result.history) outcome.history.push_back(incumbent.latency);
  return outcome;
}

void expectSameAtAnyThreads(const Problem& problem, std::int64_t rounds, int runs,
                            int beamWidth = 0) {
  const auto optionsFor = [&](int threads) {
    SolverOptions options = roundsOnly(rounds, threads);
    options.beamWidth = beamWidth;
    return options;
  };
  const Outcome alone = outcomeOf(problem, optionsFor(1));
  for (int run = 0; run < runs; ++run) {
    for (const int threads : {2, 8}) {
      SCOPED_TRACE(std::to_string(threads) + " threads, run " + std::to_string(run));
      const Outcome outcome = outcomeOf(problem, optionsFor(threads));
      EXPECT_EQ(outcome.schedule, alone.schedule);
      EXPECT_EQ(outcome.history, alone.history);
      EXPECT_EQ(outcome.rounds, alone.rounds);
    }
  }
}

TEST(SolverDeterminismTest, ThreadsDoNotShow) {
  for (const char* kind : {"transformer", "random"}) {
    SCOPED_TRACE(kind);
    expectSameAtAnyThreads(generated(kind, 24), 3, 2);
  }
}

// Growth begins with what the rounds before have found.
TEST(SolverDeterminismTest, ThreadsDoNotShowInALaterCycle) {
  SCOPED_TRACE("moe");
  expectSameAtAnyThreads(generated("moe", 40), 7, 1);
}

TEST(SolverDeterminismTest, ThreadsDoNotShowInSegments) {
  SCOPED_TRACE("random");
  expectSameAtAnyThreads(generated("random", 300), 2, 1);
}

// From the seventh round on several run side by side.
TEST(SolverDeterminismTest, ThreadsDoNotShowInRoundsSideBySide) {
  SCOPED_TRACE("transformer");
  expectSameAtAnyThreads(generated("transformer", 300, 2), 11, 1);
}

// With wide beams from the second round on; graphs of more than 400 ops have no opening.
TEST(SolverDeterminismTest, ThreadsDoNotShowInWideRoundsSideBySide) {
  SCOPED_TRACE("random");
  constexpr int kWide = 1024;
  expectSameAtAnyThreads(generated("random", 420), 4, 1, kWide);
}

TEST(SolverDeterminismTest, GrainSizeAndTokensDoNotShow) {
  const Problem problem = generated("multi-head", 24);
  const Outcome expected = outcomeOf(problem, roundsOnly(3, 1));
  for (const int grainSize : {1, 3, 100}) {
    for (const int tokens : {1, 2, 16}) {
      SCOPED_TRACE(std::to_string(grainSize) + " a grain, " + std::to_string(tokens) + " tokens");
      SolverOptions options = roundsOnly(3, 4);
      options.grainSize = grainSize;
      options.tokens = tokens;
      EXPECT_EQ(outcomeOf(problem, options), expected);
    }
  }
}

TEST(SolverDeterminismTest, ThreadsDoNotShowOnAnyKindSlow) {
  for (const auto& kind : generator::kinds()) {
    SCOPED_TRACE(kind.name);
    expectSameAtAnyThreads(generated(kind.name, std::min(kind.maxOps, 40), 2), 4, 1);
  }
}

}  // namespace
}  // namespace tilebeam::test
