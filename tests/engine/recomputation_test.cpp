// Schedules that run ops again, where these are the best.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/exhaustive_optimum.h"
#include "support/problem_builder.h"
#include "support/solve_checks.h"

namespace tilebeam::test {
namespace {

SolveResult solved(const Problem& problem, bool recomputation = true) {
  SolverOptions options = roundsOnly(8, 1);
  if (!recomputation) options.without.insert(Feature::kRecomputation);
  const SolveResult result = solve(problem, options);
  expectSound(problem, result, SimulatorChoice::kLiteral);
  return result;
}

std::size_t opsRun(const Schedule& schedule) {
  std::size_t count = 0;
  for (const Step& step : schedule.steps) count += step.ops.size();
  return count;
}

// A cheap op whose output one MatMul takes at once and a Pointwise later. What lies between them is
// too large to retain.
Problem skipConnection() {
  ProblemBuilder b;
  b.native(4, 4).bandwidth(1).capacity(120);
  const TensorId x = b.pointwise({b.tensor(8, 8)}, 2);
  const TensorId y = b.matMul(x, b.tensor(16, 8), 30);
  const TensorId z = b.matMul(y, b.tensor(8, 16), 30);
  b.pointwise({z, x}, 2);
  return b.build();
}

TEST(RecomputationTest, ARetainedTensorIsMadeAgainForItsOtherTaker) {
  const Problem problem = skipConnection();
  const SolveResult with = solved(problem);
  EXPECT_GT(opsRun(with.schedule), problem.opCount());
  EXPECT_LT(with.totalLatency, solved(problem, false).totalLatency);
  EXPECT_NEAR(with.totalLatency, exhaustiveOptimum(problem, DepthReading::kNative, 4),
              1e-9 * with.totalLatency);
}

// What an op is made again from must be in slow memory itself. Of this problem a step was once
// planned that took a tensor which had never been stored.
TEST(RecomputationTest, OpsAreMadeAgainFromWhatIsThere) {
  ProblemBuilder b;
  b.native(3, 5).bandwidth(0.37).capacity(146);
  const TensorId t0 = b.tensor(6, 1);
  const TensorId t4 = b.tensor(1, 6);
  const TensorId t7 = b.tensor(6, 1);
  const TensorId t9 = b.tensor(1, 4);
  b.matMul(t9, t0, 1453);
  const TensorId t1 = b.matMul(t0, t4, 0);
  const TensorId t11 = b.matMul(t4, t0, 1259);
  b.matMul(t11, t4, 341);
  const TensorId t5 = b.matMul(t4, t1, 0);
  b.matMul(t7, t5, 0);
  b.matMul(t5, t1, 28);
  const SolveResult result = solved(b.build());
  EXPECT_LT(result.totalLatency, 4080.2);  // 4116.7 where t5 may not be made again
}

}  // namespace
}  // namespace tilebeam::test
