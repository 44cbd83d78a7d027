// Tiny problems against the best of all schedules.
#include <gtest/gtest.h>

#include <iostream>

#include "support/exhaustive_schedule.h"
#include "support/solve_checks.h"

namespace tilebeam::test {
namespace {

struct Tally {
  int solved = 0;
  int asGood = 0;
  int better = 0;  // by running some op twice
};

// 2 to 4 ops, the three memories in turn.
Problem tinyProblem(std::uint64_t seed) {
  static constexpr generator::Memory kMemories[] = {
      generator::Memory::kTight, generator::Memory::kRoomy, generator::Memory::kContest};
  return generated("tiny", 2 + static_cast<int>(seed % 3), seed, kMemories[seed / 3 % 3]);
}

Tally tryMany(std::uint64_t first, std::uint64_t count, std::int64_t rounds) {
  Tally tally;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Problem problem = tinyProblem(seed);
    const double least = leastTotalLatency(problem);
    const SolveResult result = solve(problem, roundsOnly(rounds, 2));
    expectSound(problem, result, SimulatorChoice::kLiteral);
    ++tally.solved;
    tally.better += result.totalLatency < least * (1 - 1e-9) ? 1 : 0;
    if (result.totalLatency <= least * (1 + 1e-9)) {
      ++tally.asGood;
    } else {
      std::cout << "seed " << seed << ", " << problem.opCount() << " ops: " << result.totalLatency
                << ", the best has " << least << '\n';
    }
  }
  std::cout << tally.asGood << " of " << tally.solved << " as good as the best, " << tally.better
            << " better\n";
  return tally;
}

TEST(SolverOptimalityTest, SolvesTinyProblemsToTheBest) {
  const Tally tally = tryMany(0, 30, 3);
  EXPECT_GE(tally.asGood, 29);
}

TEST(SolverOptimalityTest, SolvesManyTinyProblemsToTheBestSlow) {
  const Tally tally = tryMany(1000, 200, 4);
  EXPECT_GE(tally.asGood, 198);
}

}  // namespace
}  // namespace tilebeam::test
