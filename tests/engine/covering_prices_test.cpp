// Prices never make a set worth more than a step of it takes, and together bound every schedule.
#include "engine/covering_prices.h"

#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cmath>
#include <limits>

#include "support/bound_problems.h"
#include "support/exhaustive_optimum.h"
#include "support/problem_builder.h"
#include "tilebeam/json_io.h"
#include "tilebeam/lower_bound.h"

namespace tilebeam::test {
namespace {

constexpr std::size_t kManySets = 1'000'000;
constexpr double kHighest = 1e15;

double worth(const CoveringPrices& prices, OpMask ops) {
  double sum = 0;
  for (; ops != 0; ops &= ops - 1) {
    sum += prices.perOp[static_cast<std::size_t>(std::countr_zero(ops))];
  }
  return sum;
}

void expectValid(const StepSets& sets, const CoveringPrices& prices) {
  for (std::size_t s = 0; s < sets.size(); ++s) {
    EXPECT_LE(worth(prices, sets[s].ops), sets.floor(s) * (1 + 1e-9) + 1e-9);
  }
  EXPECT_NEAR(worth(prices, sets.all()), prices.sum, 1e-9 * prices.sum);
}

TEST(CoveringPrices, RandomOptimaAreNotExceeded) {
  Random random(41);
  int met = 0;
  int problems = 0;
  for (int i = 0; i < 120; ++i) {
    const Problem problem = randomBoundProblem(random, 3);
    const auto depth = random.chance(50) ? DepthReading::kNative : DepthReading::kFull;
    const double optimum = exhaustiveOptimum(problem, depth);
    if (std::isinf(optimum)) continue;
    StepSets sets(problem, depth);
    ASSERT_TRUE(sets.find(kManySets));
    const CoveringPrices prices = coveringPrices(sets, kHighest);
    EXPECT_TRUE(prices.settled);
    expectValid(sets, prices);
    EXPECT_LE(prices.sum, optimum * (1 + 1e-9) + 1e-9) << writeProblem(problem);
    ++problems;
    met += prices.sum >= optimum * (1 - 1e-6) ? 1 : 0;
  }
  EXPECT_GT(met, problems / 3) << "of " << problems;
}

TEST(CoveringPrices, FloorsHoldInEveryContext) {
  Random random(42);
  for (int i = 0; i < 100; ++i) {
    const Problem problem = randomBoundProblem(random, 4);
    StepSets sets(problem, DepthReading::kNative);
    ASSERT_TRUE(sets.find(kManySets));
    for (std::size_t s = 0; s < sets.size(); ++s) {
      const std::vector<std::size_t> one{s};
      while (!sets.settled(s)) sets.raiseFloors(one);
      const auto some = [&](OpMask of) {
        return of & static_cast<OpMask>(random.between(0, 15)) & sets.retainable();
      };
      StepKept kept{some(sets.all()), some(sets[s].tile), 0};
      kept.retained &= ~kept.resident;
      kept.stored = (sets[s].sinks & ~kept.retained) | some(sets[s].wanted & ~kept.retained);
      EXPECT_LE(sets.floor(s), sets.cost(s, kept) * (1 + 1e-12)) << writeProblem(problem);
    }
  }
}

TEST(CoveringPrices, AreValidWheneverStopped) {
  Random random(43);
  for (int i = 0; i < 40; ++i) {
    const Problem problem = randomBoundProblem(random, 4);
    std::atomic<int> left = 1'000'000;
    StepSets sets(problem, DepthReading::kNative, [&] { return --left < 0; });
    ASSERT_TRUE(sets.find(kManySets));
    left = i % 20;
    expectValid(sets, coveringPrices(sets, kHighest));
  }
}

// Two ops that are best fused, and tensors that do not fit, so that none is retained.
TEST(CoveringPrices, ReachAFusedStep) {
  ProblemBuilder builder;
  const TensorId in = builder.tensor(128, 128);
  builder.pointwise({builder.pointwise({in}, 100)}, 10);
  const Problem problem = builder.capacity(16000).build();
  StepSets sets(problem, DepthReading::kNative);
  ASSERT_TRUE(sets.find(kManySets));
  const CoveringPrices prices = coveringPrices(sets, kHighest);
  EXPECT_NEAR(prices.sum, 3276.8, 1e-3);  // load and store, nothing between
}

// Steps of equal structure share their costs.
TEST(StepSets, CostsAreSharedAmongIsomorphicSets) {
  ProblemBuilder builder;
  for (int i = 0; i < 3; ++i) builder.pointwise({builder.tensor(64, 64)}, 10);
  const Problem problem = builder.build();
  StepSets sets(problem, DepthReading::kNative);
  ASSERT_TRUE(sets.find(kManySets));
  ASSERT_EQ(sets.size(), 3U);
  const double first = sets.cost(0, {0, 0, 1});
  EXPECT_EQ(sets.cost(1, {0, 0, 2}), first);
  EXPECT_EQ(sets.cost(2, {0, 0, 4}), first);
  EXPECT_EQ(sets.knownCosts(), 1U);
}

}  // namespace
}  // namespace tilebeam::test
