// What the exact search finds becomes a valid schedule, mostly one that takes what was promised.
#include "engine/plan_of_way.h"

#include <gtest/gtest.h>

#include "support/bound_problems.h"
#include "support/solve_checks.h"
#include "tilebeam/schedule_evaluator.h"

namespace tilebeam::test {
namespace {

struct Tally {
  int ways = 0;
  int kept = 0;  // promises
};

void follow(const Problem& problem, DepthReading depth, Tally& tally) {
  const ExactBound exact = exactBound(problem, depth);
  if (exact.way.empty()) return;
  ++tally.ways;
  const auto plan = planOfWay(problem, depth, exact.way, [] { return false; });
  if (!plan) return;
  const Evaluation evaluation =
      ScheduleEvaluator(problem, {depth, SimulatorChoice::kLiteral}).evaluate(scheduleOf(*plan));
  ASSERT_TRUE(evaluation.valid()) << evaluation.violation->message();
  ASSERT_NEAR(evaluation.totalLatency, plan->latency, plan->latency * 1e-9);
  ASSERT_GE(plan->latency, exact.value * (1 - 1e-9));
  tally.kept += plan->latency <= exact.value * (1 + 1e-9) ? 1 : 0;
}

TEST(PlanOfWay, IsValidAndMostlyTakesWhatTheBoundSays) {
  Random random(17);
  Tally tally;
  for (int i = 0; i < 120; ++i) {
    const Problem problem = randomBoundProblem(random, 4);
    const auto depth = random.chance(50) ? DepthReading::kNative : DepthReading::kFull;
    ASSERT_NO_FATAL_FAILURE(follow(problem, depth, tally)) << "problem " << i;
  }
  EXPECT_GT(tally.ways, 60);
  EXPECT_GT(tally.kept, tally.ways * 9 / 10) << "of " << tally.ways;
}

SolveResult proven(const char* kind, int ops, std::uint64_t seed, generator::Memory memory) {
  SolverOptions options = roundsOnly(10, 1);
  options.prove = true;
  return solve(generated(kind, ops, seed, memory), options);
}

// The beam's best takes 5400.
TEST(PlanOfWay, BettersTheSearchsBest) {
  const SolveResult result = proven("random", 4, 134, generator::Memory::kTight);
  EXPECT_EQ(result.status, SolveStatus::kOptimal);
  EXPECT_NEAR(result.totalLatency, 4800, 1e-6);
}

// The cheapest way takes what no step before it could have stored.
TEST(PlanOfWay, AWayThatIsNoScheduleIsNotOffered) {
  for (const auto depth : {DepthReading::kNative, DepthReading::kFull}) {
    SolverOptions options = roundsOnly(1, 1);
    options.prove = true;
    options.depth = depth;
    const Problem problem = generated("tiny", 4, 8886, generator::Memory::kRoomy);
    const SolveResult result = solve(problem, options);
    EXPECT_EQ(result.counters.plansRejected, 0);
    EXPECT_LE(result.bound, result.totalLatency);
    const Evaluation evaluation =
        ScheduleEvaluator(problem, {depth, SimulatorChoice::kLiteral}).evaluate(result.schedule);
    EXPECT_TRUE(evaluation.valid());
    EXPECT_NEAR(evaluation.totalLatency, result.totalLatency, 1e-9 * result.totalLatency);
  }
}

// A MatMul that takes what another made as both its operands.
TEST(PlanOfWay, ASquareOfAnInternalTensorIsProven) {
  const SolveResult result = proven("tiny", 5, 1, generator::Memory::kContest);
  EXPECT_EQ(result.status, SolveStatus::kOptimal);
}

}  // namespace
}  // namespace tilebeam::test
