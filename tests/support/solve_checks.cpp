#include "support/solve_checks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "tilebeam/json_io.h"
#include "tilebeam/lower_bound.h"

namespace tilebeam::test {
namespace {

void expectClose(double actual, double expected, const char* what) {
  EXPECT_NEAR(actual, expected, 1e-9 * expected) << what;
}

void expectImproving(const SolveResult& result) {
  ASSERT_FALSE(result.history.empty());
  for (std::size_t i = 1; i < result.history.size(); ++i) {
    EXPECT_LT(result.history[i].latency, result.history[i - 1].latency);
    EXPECT_GE(result.history[i].seconds, result.history[i - 1].seconds);
    EXPECT_GE(result.history[i].round, result.history[i - 1].round);
  }
  EXPECT_EQ(result.history.back().latency, result.totalLatency);
}

}  // namespace

Problem generated(const std::string& kind, int ops, std::uint64_t seed, generator::Memory memory) {
  return generator::generate({kind, ops, seed, memory});
}

SolverOptions roundsOnly(std::int64_t rounds, int threads) {
  SolverOptions options;
  options.timeLimit = std::numeric_limits<double>::infinity();
  options.maxRounds = rounds;
  options.threads = threads;
  return options;
}

void expectSound(const Problem& problem, const SolveResult& result, SimulatorChoice simulator) {
  const DepthReading depth = result.options.depth;
  const Evaluation evaluation =
      ScheduleEvaluator(problem, {depth, simulator}).evaluate(result.schedule);
  ASSERT_TRUE(evaluation.valid()) << evaluation.violation->message();
  expectClose(evaluation.totalLatency, result.totalLatency, "total latency");
  ASSERT_EQ(result.stepLatencies.size(), evaluation.steps.size());
  for (std::size_t i = 0; i < evaluation.steps.size(); ++i) {
    expectClose(evaluation.steps[i].account.cost.latency, result.stepLatencies[i], "step latency");
  }
  EXPECT_EQ(result.bound, std::min(result.totalLatency, lowerBound(problem, depth).value));
  EXPECT_GE(result.totalLatency, result.bound * (1 - 1e-9));
  EXPECT_EQ(result.status == SolveStatus::kOptimal,
            result.totalLatency <= result.bound * (1 + 1e-9));
  EXPECT_EQ(result.counters.plansRejected, 0);
  expectImproving(result);
}

std::string written(const Problem& problem, const SolveResult& result) {
  return writeSchedule(problem, result.schedule, result.stepLatencies);
}

}  // namespace tilebeam::test
