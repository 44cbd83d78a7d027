// No bound exceeds the optimum (docs/bounds.md).
#include "tilebeam/lower_bound.h"

#include <gtest/gtest.h>

#include <cmath>

#include "benchmarks/generator/generator.h"
#include "support/bound_problems.h"
#include "support/exhaustive_optimum.h"
#include "support/problem_builder.h"
#include "tilebeam/json_io.h"

namespace tilebeam::test {
namespace {

constexpr double kRounding = 1 + 1e-9;

// Counts how often a bound was reached, so that a bound of zero would not pass for a good one.
struct Tally {
  int problems = 0;
  int met = 0;
  int byOperands = 0;  // the term for shared operands was the best by itself
  int metByOperands = 0;
};

void hold(const Problem& problem, DepthReading depth, Tally& tally) {
  const double optimum = exhaustiveOptimum(problem, depth, 4);
  if (std::isinf(optimum)) return;
  const LowerBound bound = lowerBound(problem, depth);
  ++tally.problems;
  const bool met = bound.value * kRounding >= optimum;
  if (met) ++tally.met;
  if (bound.terms.size() > 3 && bound.value > bound.terms[2].value * kRounding &&
      bound.value > bound.terms[1].value * kRounding) {
    ++tally.byOperands;
    if (met) ++tally.metByOperands;
  }
  for (const BoundTerm& term : bound.terms) {
    ASSERT_LE(term.value, optimum * kRounding + 1e-9) << term.name << "\n" << writeProblem(problem);
  }
}

TEST(LowerBound, SlowRandomOptimaAreNotExceeded) {
  Random random(20260101);
  Tally tally;
  for (int i = 0; i < 4000; ++i) {
    const Problem problem = randomBoundProblem(random, i % 8 == 0 ? 4 : 3);
    const auto depth = random.chance(50) ? DepthReading::kNative : DepthReading::kFull;
    ASSERT_NO_FATAL_FAILURE(hold(problem, depth, tally)) << "problem " << i;
  }
  EXPECT_GT(tally.problems, 2000);
  EXPECT_GT(tally.met, tally.problems / 20);
  RecordProperty("met", tally.met);
}

TEST(LowerBound, RandomOptimaAreNotExceeded) {
  Random random(7);
  Tally tally;
  for (int i = 0; i < 200; ++i) {
    const Problem problem = randomBoundProblem(random, 3);
    ASSERT_NO_FATAL_FAILURE(hold(problem, DepthReading::kNative, tally)) << "problem " << i;
  }
}

void holdSharedOperands(int count, std::uint64_t seed) {
  Random random(seed);
  Tally tally;
  for (int i = 0; i < count; ++i) {
    const Problem problem = randomSharedOperandProblem(random, i % 4 == 0 ? 4 : 3);
    const auto depth = random.chance(30) ? DepthReading::kNative : DepthReading::kFull;
    ASSERT_NO_FATAL_FAILURE(hold(problem, depth, tally)) << "problem " << i;
  }
  EXPECT_GT(tally.byOperands, tally.problems / 10) << "of " << tally.problems;
  ::testing::Test::RecordProperty("problems", tally.problems);
  ::testing::Test::RecordProperty("byOperands", tally.byOperands);
  ::testing::Test::RecordProperty("metByOperands", tally.metByOperands);
}

TEST(LowerBound, SharedOperandOptimaAreNotExceeded) { holdSharedOperands(100, 21); }
TEST(LowerBound, SlowSharedOperandOptimaAreNotExceeded) { holdSharedOperands(3000, 22); }

TEST(LowerBound, SlowGeneratedOptimaAreNotExceeded) {
  Tally tally;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const int ops = seed % 10 == 0 ? 4 : 1 + static_cast<int>(seed % 3);
    const auto memory = static_cast<generator::Memory>(seed % 3);
    const Problem problem = generator::generate({"tiny", ops, seed, memory});
    for (const auto depth : {DepthReading::kNative, DepthReading::kFull}) {
      ASSERT_NO_FATAL_FAILURE(hold(problem, depth, tally)) << "seed " << seed;
    }
  }
  EXPECT_GT(tally.met, tally.problems / 20);
}

}  // namespace
}  // namespace tilebeam::test
