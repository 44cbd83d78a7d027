// The exact search's bound never exceeds the optimum, and mostly meets it.
#include "engine/exact_search.h"

#include <gtest/gtest.h>

#include <cmath>

#include "benchmarks/generator/generator.h"
#include "support/bound_problems.h"
#include "support/exhaustive_optimum.h"
#include "tilebeam/json_io.h"

namespace tilebeam::test {
namespace {

struct Tally {
  int problems = 0;
  int met = 0;
};

void hold(const Problem& problem, DepthReading depth, Tally& tally) {
  const double optimum = exhaustiveOptimum(problem, depth, 4);
  if (std::isinf(optimum)) return;
  const ExactBound free = exactBound(problem, depth);
  ASSERT_TRUE(free.complete);
  ASSERT_LE(free.value, optimum * (1 + 1e-9) + 1e-9) << writeProblem(problem);
  ++tally.problems;
  tally.met += free.value >= optimum * (1 - 1e-9) ? 1 : 0;

  ExactLimits limits;
  limits.upperBound = optimum;
  ASSERT_LE(exactBound(problem, depth, limits).value, optimum);
  // A total above the optimum is never confirmed.
  limits.upperBound = optimum * 1.01 + 1e-3;
  ASSERT_LE(exactBound(problem, depth, limits).value, optimum * (1 + 1e-9) + 1e-9);
  // Wherever it stops, what it has is a bound.
  limits.maxStates = 3;
  ASSERT_LE(exactBound(problem, depth, limits).value, optimum * (1 + 1e-9) + 1e-9);
}

void holdRandom(Problem (*make)(Random&, std::size_t), int count, std::uint64_t seed) {
  Random random(seed);
  Tally tally;
  for (int i = 0; i < count; ++i) {
    const Problem problem = make(random, i % 8 == 0 ? 4 : 3);
    const auto depth = random.chance(50) ? DepthReading::kNative : DepthReading::kFull;
    ASSERT_NO_FATAL_FAILURE(hold(problem, depth, tally)) << "problem " << i;
  }
  EXPECT_GT(tally.met, tally.problems / 2) << "of " << tally.problems;
}

TEST(ExactSearch, RandomOptimaAreNotExceeded) { holdRandom(randomBoundProblem, 150, 11); }
TEST(ExactSearch, SlowRandomOptimaAreNotExceeded) { holdRandom(randomBoundProblem, 3000, 12); }
TEST(ExactSearch, SlowSharedOperandOptimaAreNotExceeded) {
  holdRandom(randomSharedOperandProblem, 800, 13);
}

TEST(ExactSearch, SlowGeneratedOptimaAreNotExceeded) {
  Tally tally;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const int ops = seed % 10 == 0 ? 4 : 1 + static_cast<int>(seed % 3);
    const Problem problem =
        generator::generate({"tiny", ops, seed, static_cast<generator::Memory>(seed % 3)});
    ASSERT_NO_FATAL_FAILURE(hold(problem, DepthReading::kNative, tally)) << "seed " << seed;
  }
  EXPECT_GT(tally.met, tally.problems / 2) << "of " << tally.problems;
}

TEST(ExactSearch, ManyOpsFallBackOnTheCheapBound) {
  const Problem problem = generator::generate({"chain", 100, 1, generator::Memory::kContest});
  const ExactBound bound = exactBound(problem, DepthReading::kNative);
  EXPECT_FALSE(bound.complete);
  EXPECT_GT(bound.value, 0);
}

}  // namespace
}  // namespace tilebeam::test
