// Traces made by hand, whose makespans are known; and those of real runs, which add up.
#include "tilebeam/task_trace.h"

#include <gtest/gtest.h>

#include <ctime>

#include "engine/trace_recorder.h"
#include "support/solve_checks.h"

namespace tilebeam::test {
namespace {

TracePhase phase(double serial, std::vector<double> tasks, std::vector<TaskTrace> chains = {}) {
  return {TraceKind::kExpansion, serial, std::move(tasks), std::move(chains)};
}

TEST(TaskTraceTest, NothingTakesNoTime) {
  EXPECT_EQ(replay({}, 4), 0);
  EXPECT_EQ(limitsOf({}).maxSpeedup(), 1);
  EXPECT_EQ(replay({{phase(0, {})}}, 4), 0);
}

TEST(TaskTraceTest, OneWorkerDoesAllTheWork) {
  const TaskTrace trace{{phase(1, {2, 3}, {{{phase(1, {4})}}}), phase(2, {})}};
  EXPECT_EQ(trace.work(), 13);
  EXPECT_EQ(replay(trace, 1), 13);
  EXPECT_EQ(replay(trace, 0), 13);
}

TEST(TaskTraceTest, TasksStartInOrderAsWorkersComeFree) {
  const TaskTrace trace{{phase(0, {3, 1, 1, 1, 4})}};
  EXPECT_EQ(replay(trace, 2), 7);  // 3 | 1 1 1, and the 4 comes last
  EXPECT_EQ(replay(trace, 3), 5);
  EXPECT_EQ(replay(trace, 5), 4);
  EXPECT_EQ(replay(trace, 100), 4);
}

TEST(TaskTraceTest, PhasesWaitForAllTasksBefore) {
  const TaskTrace trace{{phase(1, {2, 1}), phase(1, {1, 2})}};
  EXPECT_EQ(replay(trace, 2), 6);
  EXPECT_EQ(replay(trace, 1), 8);
}

TEST(TaskTraceTest, ChainsRunSideBySide) {
  const TaskTrace chain{{phase(1, {2, 2})}};
  const TaskTrace trace{{phase(0, {}, {chain, chain})}};
  EXPECT_EQ(replay(trace, 1), 10);
  EXPECT_EQ(replay(trace, 2), 5);  // 1 2 2 each
  EXPECT_EQ(replay(trace, 4), 3);
  EXPECT_EQ(limitsOf(trace).longestChain, 3);
}

TEST(TaskTraceTest, EmptyChainsEndAtOnce) {
  const TaskTrace trace{{phase(1, {}, {{}, {}}), phase(1, {1})}};
  EXPECT_EQ(replay(trace, 2), 3);
}

TEST(TaskTraceTest, LimitsNameTheLongestChain) {
  TaskTrace trace{{phase(1, {2, 5}), phase(3, {1}, {{{phase(2, {4})}}})}};
  trace.phases[1].kind = TraceKind::kWindows;
  const TraceLimits limits = limitsOf(trace);
  const auto at = [](TraceKind kind) { return static_cast<std::size_t>(kind); };
  EXPECT_EQ(limits.work, 18);
  EXPECT_EQ(limits.longestChain, 15);
  EXPECT_EQ(limits.serial[at(TraceKind::kExpansion)], 3);  // 1, and 2 within the window
  EXPECT_EQ(limits.serial[at(TraceKind::kWindows)], 3);
  EXPECT_EQ(limits.tasks[at(TraceKind::kExpansion)], 9);  // 5, and 4 within the window
  EXPECT_EQ(limits.tasks[at(TraceKind::kWindows)], 0);
  EXPECT_EQ(limits.maxSpeedup(), 18.0 / 15);
}

TEST(TaskTraceTest, MoreWorkersAreNeverWorseHere) {
  const TaskTrace window{{phase(0.25, {1, 2, 1, 1}), phase(0.5, {2, 2})}};
  const TaskTrace trace{
      {phase(0.5, std::vector<double>(40, 1)), phase(0.5, {}, std::vector<TaskTrace>(6, window))}};
  double before = trace.work();
  for (std::size_t workers = 2; workers <= 64; workers *= 2) {
    const double seconds = replay(trace, workers);
    EXPECT_LE(seconds, before);
    EXPECT_GE(seconds, limitsOf(trace).longestChain);
    EXPECT_GE(seconds * static_cast<double>(workers), trace.work());
    before = seconds;
  }
}

TEST(TraceRecorderTest, RecordsNothingWithoutATrace) {
  TraceRecorder& none = TraceRecorder::none();
  EXPECT_EQ(none.beginTasks(TraceKind::kExpansion, 3), nullptr);
  const TaskTimer timer(nullptr, 2);
  none.endTasks();
  EXPECT_EQ(traceOf(nullptr, 1), nullptr);
}

TEST(TraceRecorderTest, TasksHavePlacesOfTheirOwn) {
  TaskTrace trace;
  {
    TraceRecorder recorder(&trace);
    TracePhase* const tasks = recorder.beginTasks(TraceKind::kCandidates, 3);
    ASSERT_NE(tasks, nullptr);
    { const TaskTimer timer(tasks, 2); }
    recorder.endTasks();
    TracePhase* const chains = recorder.beginTasks(TraceKind::kWindows, 0, 2);
    { const TraceRecorder window(traceOf(chains, 1)); }
    recorder.endTasks();
  }
  ASSERT_EQ(trace.phases.size(), 3U);
  EXPECT_EQ(trace.phases[0].tasks.size(), 3U);
  EXPECT_EQ(trace.phases[1].chains.size(), 2U);
  EXPECT_EQ(trace.phases[2].kind, TraceKind::kOther);
}

double threadSeconds() {
  std::timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

TEST(TraceRecorderTest, ARunsPartsAddUpToTheRun) {
  const Problem problem = generated("transformer", 60);
  TaskTrace trace;
  const double before = threadSeconds();
  solve(problem, roundsOnly(4, 1), {.onIncumbent = {}, .trace = &trace});
  const double seconds = threadSeconds() - before;
  EXPECT_NEAR(trace.work(), seconds, 0.1 * seconds + 0.01);
  EXPECT_NEAR(replay(trace, 1), trace.work(), 1e-9 + 1e-6 * seconds);
  const TraceLimits limits = limitsOf(trace);
  EXPECT_GT(limits.maxSpeedup(), 1);
  EXPECT_LE(limits.longestChain, replay(trace, 8) + 1e-9);
}

TEST(TraceRecorderTest, RecordingChangesNothing) {
  const Problem problem = generated("random", 40);
  TaskTrace trace;
  const SolveResult plain = solve(problem, roundsOnly(2, 1));
  const SolveResult recorded =
      solve(problem, roundsOnly(2, 1), {.onIncumbent = {}, .trace = &trace});
  EXPECT_EQ(written(problem, recorded), written(problem, plain));
  const auto count = [&](TraceKind kind) {
    return std::count_if(trace.phases.begin(), trace.phases.end(),
                         [&](const TracePhase& p) { return p.kind == kind; });
  };
  EXPECT_GT(count(TraceKind::kCandidates), 0);
  EXPECT_GT(count(TraceKind::kExpansion), 40);
  EXPECT_GT(count(TraceKind::kReduction), 40);
}

// The shape of a trace, without its times, is that of the work.
TEST(TraceRecorderTest, ThreadsDoNotShowInTheShape) {
  const Problem problem = generated("transformer", 40);
  const auto shape = [&](int threads) {
    TaskTrace trace;
    SolverOptions options = roundsOnly(3, threads);
    options.tokens = 8;
    solve(problem, options, {.onIncumbent = {}, .trace = &trace});
    std::vector<std::size_t> counts;
    for (const TracePhase& p : trace.phases) {
      counts.push_back(p.tasks.size());
      counts.push_back(p.chains.size());
    }
    return counts;
  };
  EXPECT_EQ(shape(1), shape(3));
}

}  // namespace
}  // namespace tilebeam::test
