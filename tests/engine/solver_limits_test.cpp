// When the solver stops, what it says then, and what it makes of its options.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "support/overtime.h"
#include "support/problem_builder.h"
#include "support/solve_checks.h"
#include "tilebeam/errors.h"

namespace tilebeam::test {
namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

constexpr double kLongWait = 20;  // seconds, of which a busy machine may take most

TEST(SolverLimitsTest, StopsAfterItsRounds) {
  const Problem problem = generated("transformer", 14);
  const SolveResult result = solve(problem, roundsOnly(2, 2));
  EXPECT_EQ(result.status, SolveStatus::kRoundLimit);
  EXPECT_EQ(result.counters.rounds, 2);
}

TEST(SolverLimitsTest, AZeroTimeLimitStillGivesASchedule) {
  const Problem problem = generated("random", 30);
  SolverOptions options;
  options.timeLimit = 0;
  options.threads = 2;
  const SolveResult result = solve(problem, options);
  expectSound(problem, result);
  EXPECT_EQ(result.status, SolveStatus::kTimeLimit);
}

// Nineteen ops that share an input have so many connected sets that the proof outlasts the clock.
TEST(SolverLimitsTest, AProofThatRunsOutOfTimeEndsByTheTimeLimit) {
  ProblemBuilder builder;
  const TensorId wide = builder.tensor(256, 64);
  const TensorId small = builder.tensor(16, 16);
  for (int i = 0; i < 19; ++i) builder.pointwise({wide}, 1);
  builder.pointwise({small}, 100000);
  const Problem problem = builder.capacity(60000).build();
  SolverOptions options = roundsOnly(1, 2);
  options.prove = true;
  options.timeLimit = 0.5;
  const SolveResult result = solve(problem, options);
  expectSound(problem, result);
  EXPECT_EQ(result.status, SolveStatus::kTimeLimit);
  EXPECT_LT(result.bound, result.totalLatency);
}

TEST(SolverLimitsTest, ReturnsTheIncumbentWhenCancelledBeforehand) {
  const Problem problem = generated("random", 30);
  CancellationToken token;
  token.cancel();
  const SolveResult result = solve(problem, roundsOnly(0, 2), {}, &token);
  expectSound(problem, result);
  EXPECT_EQ(result.status, SolveStatus::kInterrupted);
}

TEST(SolverLimitsTest, ACancellationBeforeAnyScheduleSaysNothingAboutFeasibility) {
  const Problem fits = generated("random", 30);
  Hardware hardware = fits.hardware();
  hardware.fastMemoryCapacity = 1;
  const Problem problem({fits.tensors().begin(), fits.tensors().end()},
                        {fits.ops().begin(), fits.ops().end()}, hardware);
  CancellationToken token;
  EXPECT_THROW(solve(problem, roundsOnly(0, 2), {}, &token), InfeasibleError);
  token.cancel();
  EXPECT_THROW(solve(problem, roundsOnly(0, 2), {}, &token), InterruptedError);
}

TEST(SolverLimitsTest, ProgressIsReportedAsItComes) {
  const Problem problem = generated("random", 60);
  std::vector<SearchProgress> reports;
  SolverCallbacks callbacks;
  callbacks.progressInterval = 0;
  callbacks.onProgress = [&](const SearchProgress& progress) { reports.push_back(progress); };
  const SolveResult result = solve(problem, roundsOnly(6, 3), callbacks);
  ASSERT_FALSE(reports.empty());
  SearchProgress last;
  bool beam = false;
  bool windows = false;
  for (const SearchProgress& report : reports) {
    EXPECT_GE(last.latency, report.latency);
    EXPECT_GE(report.counters.statesGenerated, last.counters.statesGenerated);
    EXPECT_LE(report.done, report.total);
    EXPECT_GE(report.round, last.round);
    beam = beam || (report.phase == SearchPhase::kBeam && report.done > 0);
    windows = windows || report.phase == SearchPhase::kWindows;
    last = report;
  }
  EXPECT_TRUE(beam && windows);
  EXPECT_GE(last.latency, result.totalLatency);
  EXPECT_LE(last.counters.stepsScored, result.counters.stepsScored);
  EXPECT_GT(last.counters.stepsScored, 0);
}

TEST(SolverLimitsTest, RoundsSideBySideAreCountedAndReported) {
  const Problem problem = generated("transformer", 300, 2);
  std::int64_t most = 0;
  SolverCallbacks callbacks;
  callbacks.progressInterval = 0;
  callbacks.onProgress = [&](const SearchProgress& progress) {
    if (progress.phase == SearchPhase::kRounds) most = std::max(most, progress.total);
    EXPECT_LE(progress.done, progress.total);
  };
  const SolveResult result = solve(problem, roundsOnly(13, 2), callbacks);
  EXPECT_EQ(result.counters.rounds, 13);
  EXPECT_EQ(most, 3);  // of four, which are cut to the three that are left
  expectSound(problem, result);
}

TEST(SolverLimitsTest, ProgressKeepsItsDistance) {
  const Problem problem = generated("random", 60);
  std::vector<double> times;
  SolverCallbacks callbacks;
  callbacks.progressInterval = 0.02;
  callbacks.onProgress = [&](const SearchProgress& progress) { times.push_back(progress.seconds); };
  solve(problem, roundsOnly(6, 3), callbacks);
  for (std::size_t i = 1; i < times.size(); ++i) EXPECT_GE(times[i], times[i - 1] + 0.0199);
}

TEST(SolverLimitsTest, ReturnsTheIncumbentWhenCancelledByACallback) {
  const Problem problem = generated("transformer", 28);
  CancellationToken token;
  int calls = 0;
  SolverCallbacks callbacks;
  callbacks.onIncumbent = [&](const Incumbent&, const Schedule&, const std::vector<double>&) {
    if (++calls == 2) token.cancel();
  };
  const SolveResult result = solve(problem, roundsOnly(0, 3), callbacks, &token);
  expectSound(problem, result);
  EXPECT_EQ(result.status, SolveStatus::kInterrupted);
  EXPECT_EQ(result.history.size(), 2U);
}

TEST(SolverLimitsTest, ObeysACancellationFromAnotherThreadSlow) {
  const Problem problem = generated("transformer", 300);
  for (const int milliseconds : {50, 300, 900}) {
    CancellationToken token;
    Clock::time_point cancelled;
    double before = 0;
    std::jthread canceller([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
      cancelled = Clock::now();
      before = processorSeconds();
      token.cancel();
    });
    const SolveResult result = solve(problem, roundsOnly(0, 2), {}, &token);
    canceller.join();
    EXPECT_LT(processorSeconds() - before, 0.3) << "cancelled after " << milliseconds << " ms";
    EXPECT_LT(secondsSince(cancelled), kLongWait);
    EXPECT_EQ(result.status, SolveStatus::kInterrupted);
    expectSound(problem, result);
  }
}

TEST(SolverLimitsTest, ObeysTheTimeLimitSlow) {
  for (const char* kind : {"transformer", "random", "moe"}) {
    const Problem problem = generated(kind, 300);
    for (const double limit : {0.2, 1.0, 2.5}) {
      SolverOptions options;
      options.timeLimit = limit;
      const auto start = Clock::now();
      Overtime overtime(limit);
      const SolveResult result = solve(problem, options);
      EXPECT_LT(overtime.seconds(), 0.3) << kind << ", limit " << limit;
      EXPECT_LT(secondsSince(start), limit + kLongWait);
      EXPECT_NE(result.status, SolveStatus::kRoundLimit);
      expectSound(problem, result);
    }
  }
}

// What solve() says of a problem that has no schedule.
std::string refusalOf(const Problem& problem) {
  try {
    solve(problem, roundsOnly(2, 2));
  } catch (const InfeasibleError& error) {
    return error.what();
  }
  return "solved";
}

TEST(SolverLimitsTest, NamesTheOpThatFitsNowhere) {
  ProblemBuilder b;
  const TensorId a = b.capacity(3).native(4, 4).pointwise({b.tensor(8, 8)});
  b.matMul(a, b.tensor(8, 8));
  b.pointwise({a, b.tensor(8, 8), b.tensor(8, 8)});  // at one element: three in, one out
  EXPECT_NE(refusalOf(b.build()).find("op 2"), std::string::npos) << refusalOf(b.build());
}

TEST(SolverLimitsTest, EchoesItsOptions) {
  SolverOptions options = roundsOnly(1, 3);
  options.beamWidth = 5;
  options.grainSize = 2;
  options.tokens = 7;
  options.window = 31;
  options.depth = DepthReading::kFull;
  const SolverOptions used = solve(generated("chain", 8), options).options;
  EXPECT_EQ(used.threads, 3);
  EXPECT_EQ(used.timeLimit, options.timeLimit);
  EXPECT_EQ(used.maxRounds, 1);
  EXPECT_EQ(used.beamWidth, 5);
  EXPECT_EQ(used.grainSize, 2);
  EXPECT_EQ(used.tokens, 7);
  EXPECT_EQ(used.window, 31);
  EXPECT_EQ(used.depth, DepthReading::kFull);
}

TEST(SolverLimitsTest, SaysWhatItsDefaultsWere) {
  SolverOptions options;
  options.maxRounds = 1;
  const SolverOptions used = solve(generated("chain", 8), options).options;
  EXPECT_GT(used.threads, 0);
  EXPECT_GT(used.tokens, 0);
  EXPECT_GT(used.window, 0);
}

TEST(SolverLimitsTest, ReportsEveryIncumbentFromTheCallersThread) {
  const Problem problem = generated("transformer", 28);
  const auto caller = std::this_thread::get_id();
  std::vector<double> latencies;
  SolverCallbacks callbacks;
  callbacks.onIncumbent = [&](const Incumbent& incumbent, const Schedule& schedule,
                              const std::vector<double>& stepLatencies) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_EQ(stepLatencies.size(), schedule.steps.size());
    EXPECT_FALSE(incumbent.source.empty());
    EXPECT_LE(incumbent.bound, incumbent.latency * (1 + 1e-9));
    const Evaluation evaluation = ScheduleEvaluator(problem).evaluate(schedule);
    EXPECT_TRUE(evaluation.valid());
    EXPECT_NEAR(evaluation.totalLatency, incumbent.latency, 1e-9 * incumbent.latency);
    latencies.push_back(incumbent.latency);
  };
  const SolveResult result = solve(problem, roundsOnly(3, 4), callbacks);
  ASSERT_EQ(latencies.size(), result.history.size());
  for (std::size_t i = 0; i < latencies.size(); ++i) {
    EXPECT_EQ(latencies[i], result.history[i].latency);
  }
}

TEST(SolverLimitsTest, CountsItsWork) {
  const Problem problem = generated("transformer", 28);
  const SearchCounters counters = solve(problem, roundsOnly(3, 4)).counters;
  EXPECT_GT(counters.stepsScored, counters.stepCacheMisses);
  EXPECT_GT(counters.stepCacheHits, 0);
  EXPECT_GT(counters.candidates, 28);
  EXPECT_GT(counters.statesExpanded, 0);
  EXPECT_GE(counters.statesGenerated, counters.duplicateStates);
}

// Each op's output goes to the last: thousands of candidates wait for one another.
TEST(SolverLimitsTest, ATimeLimitHoldsOnAWideFanSlow) {
  ProblemBuilder b;
  const TensorId x = b.capacity(1'000'000).tensor(256, 256);
  std::vector<TensorId> outputs;
  for (int i = 0; i < 299; ++i) outputs.push_back(b.pointwise({x}));
  b.pointwise(outputs);
  const Problem problem = b.build();
  SolverOptions options;
  options.threads = 2;
  for (const double limit : {0.3, 0.8, 1.3}) {
    options.timeLimit = limit;
    const Clock::time_point start = Clock::now();
    Overtime overtime(limit);
    const SolveResult result = solve(problem, options);
    EXPECT_LT(overtime.seconds(), 1.0) << "limit " << limit;
    EXPECT_LT(secondsSince(start), limit + kLongWait);
    expectSound(problem, result);
  }
}

// What one op makes goes to all others: each step that retains several tensors asks thousands of
// candidates whether they can take them.
TEST(SolverLimitsTest, ATimeLimitHoldsWhereAllTakeOneTensorSlow) {
  ProblemBuilder b;
  const TensorId x = b.capacity(4'000'000).tensor(500, 500);
  const TensorId made = b.pointwise({x}, 500);
  for (int i = 0; i < 255; ++i) b.pointwise({made}, 500);
  const Problem problem = b.build();
  SolverOptions options;
  options.threads = 1;
  options.timeLimit = 0.5;
  Overtime overtime(options.timeLimit);
  const SolveResult result = solve(problem, options);
  EXPECT_LT(overtime.seconds(), 0.25);
  expectSound(problem, result);
}

}  // namespace
}  // namespace tilebeam::test
