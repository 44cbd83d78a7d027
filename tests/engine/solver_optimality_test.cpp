// Tiny problems against the best of all schedules, those that run ops again included.
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>

#include "support/bound_problems.h"
#include "support/exhaustive_optimum.h"
#include "support/solve_checks.h"

namespace tilebeam::test {
namespace {

struct Tally {
  int solved = 0;
  int asGood = 0;
};

void solveOne(const Problem& problem, DepthReading depth, std::int64_t rounds, Tally& tally) {
  const double least = exhaustiveOptimum(problem, depth, 4);
  if (std::isinf(least)) return;
  SolverOptions options = roundsOnly(rounds, 2);
  options.depth = depth;
  const SolveResult result = solve(problem, options);
  expectSound(problem, result, SimulatorChoice::kLiteral);
  ++tally.solved;
  // It may even be better, where only an order of more than four tiles that has no name is.
  if (result.totalLatency <= least * (1 + 1e-9)) {
    ++tally.asGood;
  } else {
    std::cout << problem.opCount() << " ops: " << result.totalLatency << ", the best has " << least
              << '\n';
  }
}

void expectMostlyBest(const Tally& tally, double share) {
  std::cout << tally.asGood << " of " << tally.solved << " as good as the best\n";
  EXPECT_GE(tally.asGood, share * tally.solved);
}

// 2 to 4 ops, the three memories in turn.
Tally solveGenerated(std::uint64_t first, std::uint64_t count, std::int64_t rounds) {
  static constexpr generator::Memory kMemories[] = {
      generator::Memory::kTight, generator::Memory::kRoomy, generator::Memory::kContest};
  Tally tally;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    solveOne(generated("tiny", 2 + static_cast<int>(seed % 3), seed, kMemories[seed / 3 % 3]),
             DepthReading::kNative, rounds, tally);
  }
  return tally;
}

Tally solveRandom(Problem (*make)(Random&, std::size_t), int count, std::size_t maxOps,
                  std::uint64_t seed) {
  Random random(seed);
  Tally tally;
  for (int i = 0; i < count; ++i) {
    SCOPED_TRACE("problem " + std::to_string(i));
    const Problem problem = make(random, maxOps);
    const auto depth = random.chance(50) ? DepthReading::kNative : DepthReading::kFull;
    solveOne(problem, depth, 8, tally);
  }
  return tally;
}

TEST(SolverOptimalityTest, SolvesTinyProblemsToTheBest) {
  expectMostlyBest(solveGenerated(0, 30, 3), 0.99);
}

TEST(SolverOptimalityTest, SolvesManyTinyProblemsToTheBestSlow) {
  expectMostlyBest(solveGenerated(1000, 200, 4), 0.99);
}

TEST(SolverOptimalityTest, SolvesRandomProblemsToTheBestSlow) {
  expectMostlyBest(solveRandom(randomBoundProblem, 400, 3, 21), 0.99);
}

TEST(SolverOptimalityTest, SolvesSharedOperandsToTheBestSlow) {
  expectMostlyBest(solveRandom(randomSharedOperandProblem, 200, 3, 22), 0.99);
}

}  // namespace
}  // namespace tilebeam::test
