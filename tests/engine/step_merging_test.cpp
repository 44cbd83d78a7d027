#include "engine/step_merging.h"

#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>

#include "engine/candidate_generator.h"
#include "support/problem_builder.h"
#include "support/random_steps.h"
#include "support/solve_checks.h"
#include "tilebeam/json_io.h"

namespace tilebeam::test {
namespace {

bool never() { return false; }

Plan planOfSingles(StepScorer& scorer) {
  const Problem& problem = scorer.problem();
  Plan plan;
  for (const OpId o : problem.graph().topologicalOrder()) {
    const std::vector<OpId> single{o};
    plan.steps.push_back(
        plannedStep(problem, single, {}, scorer.score(single, scorer.keyOf(single))));
    plan.latency += plan.steps.back().best.latency;
  }
  return plan;
}

std::vector<PlanWindow> wholeOf(const Plan& plan) { return {{0, plan.steps.size()}}; }

// What the evaluator says of it; the plan's latency is the same.
double evaluated(const Problem& problem, const Plan& plan, DepthReading depth) {
  const Evaluation evaluation =
      ScheduleEvaluator(problem, {depth, SimulatorChoice::kFastest}).evaluate(scheduleOf(plan));
  EXPECT_TRUE(evaluation.valid()) << evaluation.violation->message();
  EXPECT_NEAR(plan.latency, evaluation.totalLatency, 1e-9 * plan.latency);
  return evaluation.totalLatency;
}

std::size_t retaining(const Plan& plan) {
  return static_cast<std::size_t>(
      std::count_if(plan.steps.begin(), plan.steps.end(),
                    [](const PlannedStep& step) { return !step.retained.empty(); }));
}

// Each op loads and stores more than it computes, and all fit in one step.
Problem memoryBoundChain(int length) {
  ProblemBuilder b;
  TensorId x = b.bandwidth(1).tensor(128, 128);
  for (int i = 0; i < length; ++i) x = b.pointwise({x}, 10);
  return b.build();
}

TEST(StepMerging, AChainThatMemoryBindsBecomesOneStep) {
  const Problem problem = memoryBoundChain(40);
  StepScorer scorer(problem, DepthReading::kNative);
  const FeatureSet all;
  const Plan singles = planOfSingles(scorer);
  const auto merged = StepMerging(scorer, all).improve(singles, wholeOf(singles), {0}, 1, never);
  ASSERT_TRUE(merged);
  EXPECT_EQ(merged->steps.size(), 1U);
  EXPECT_NEAR(evaluated(problem, *merged, DepthReading::kNative), singles.latency / 40, 1e-6);
  EXPECT_FALSE(StepMerging(scorer, all).improve(*merged, wholeOf(*merged), {4}, 1, never));
}

TEST(StepMerging, NoStepUsesAFeatureThatIsOff) {
  const Problem problem = memoryBoundChain(6);
  FeatureSet without;
  without.insert(Feature::kPointwiseFusion);
  StepScorer scorer(problem, DepthReading::kNative, without);
  const Plan singles = planOfSingles(scorer);
  const auto linked =
      StepMerging(scorer, without).improve(singles, wholeOf(singles), {4}, 1, never);
  ASSERT_TRUE(linked);
  EXPECT_EQ(linked->steps.size(), 6U);
  EXPECT_GT(retaining(*linked), 0U);
  evaluated(problem, *linked, DepthReading::kNative);
  without.insert(Feature::kRetention);
  EXPECT_FALSE(StepMerging(scorer, without).improve(singles, wholeOf(singles), {4}, 1, never));
}

TEST(StepMerging, NothingIsHandedOnWithoutRetention) {
  FeatureSet without;
  without.insert(Feature::kRetention);
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Problem problem = generated("random", 40, seed, generator::Memory::kTight);
    StepScorer scorer(problem, DepthReading::kFull, without);
    const Plan singles = planOfSingles(scorer);
    const StepMerging merging(scorer, without);
    const auto varied = merging.improve(singles, wholeOf(singles), {4}, seed, never);
    EXPECT_TRUE(!varied || retaining(*varied) == 0);
  }
}

TEST(StepMerging, StepsBeyondAWindowStayAsTheyAre) {
  const Problem problem = memoryBoundChain(6);
  StepScorer scorer(problem, DepthReading::kNative);
  const Plan singles = planOfSingles(scorer);
  const auto merged = StepMerging(scorer, {}).improve(singles, {{1, 3}, {3, 5}}, {0}, 1, never);
  ASSERT_TRUE(merged);
  std::vector<std::size_t> sizes;
  for (const PlannedStep& step : merged->steps) sizes.push_back(step.ops.size());
  EXPECT_EQ(sizes, (std::vector<std::size_t>{1, 2, 2, 1}));
  evaluated(problem, *merged, DepthReading::kNative);
}

TEST(StepMerging, StoppedItFindsNothing) {
  const Problem problem = memoryBoundChain(6);
  StepScorer scorer(problem, DepthReading::kNative);
  const Plan singles = planOfSingles(scorer);
  const auto at = [] { return true; };
  EXPECT_FALSE(StepMerging(scorer, {}).improve(singles, wholeOf(singles), {4}, 1, at));
}

TEST(StepMerging, TrialsAreTheSameForAnyNumberOfWorkers) {
  const Problem problem = generated("random", 60, 5, generator::Memory::kTight);
  std::vector<std::string> schedules;
  for (const int threads : {1, 2, 5}) {
    StepScorer scorer(problem, DepthReading::kFull);
    const oneapi::tbb::global_control limit(oneapi::tbb::global_control::max_allowed_parallelism,
                                            static_cast<std::size_t>(threads));
    oneapi::tbb::task_arena arena(threads);
    arena.execute([&] {
      const Plan singles = planOfSingles(scorer);
      const auto varied =
          StepMerging(scorer, {}).improve(singles, wholeOf(singles), {8, 2}, 3, never);
      ASSERT_TRUE(varied);
      std::vector<double> latencies;
      for (const PlannedStep& step : varied->steps) latencies.push_back(step.best.latency);
      schedules.push_back(writeSchedule(problem, scheduleOf(*varied), latencies));
    });
  }
  ASSERT_EQ(schedules.size(), 3U);
  EXPECT_EQ(schedules[0], schedules[1]);
  EXPECT_EQ(schedules[0], schedules[2]);
}

struct Tally {
  int merged = 0;
  int varied = 0;     // trials found more than merging alone
  int retaining = 0;  // with tensors handed on
  int crossed = 0;    // what started anew was of use
};

void expectSoundMerging(const Problem& problem, DepthReading depth, std::uint64_t seed,
                        Tally& tally) {
  StepScorer scorer(problem, depth);
  const Plan singles = planOfSingles(scorer);
  const bool fits = std::all_of(singles.steps.begin(), singles.steps.end(),
                                [](const PlannedStep& s) { return s.best.feasible(); });
  if (!fits) return;
  const StepMerging merging(scorer, {});
  const auto merged = merging.improve(singles, wholeOf(singles), {0}, seed, never);
  const auto varied = merging.improve(singles, wholeOf(singles), {8}, seed, never);
  ASSERT_EQ(merged.has_value(), merged && varied.has_value());
  if (!merged) return;
  ++tally.merged;
  EXPECT_LT(evaluated(problem, *merged, depth), singles.latency);
  EXPECT_LE(evaluated(problem, *varied, depth), merged->latency * (1 + 1e-12));
  if (varied->latency < merged->latency * kWorthwhile) ++tally.varied;
  EXPECT_EQ(opsRun(*varied), problem.opCount());
  if (retaining(*varied) > 0) ++tally.retaining;
  const auto crossed = merging.improve(singles, wholeOf(singles), {8, 2}, seed, never);
  EXPECT_LE(evaluated(problem, *crossed, depth), varied->latency * (1 + 1e-12));
  EXPECT_EQ(opsRun(*crossed), problem.opCount());
  if (crossed->latency < varied->latency * kWorthwhile) ++tally.crossed;
  if (seed % 4 != 0) return;  // for time's sake
  const auto again = merging.improve(singles, wholeOf(singles), {8, 2}, seed, never);
  EXPECT_EQ(again->latency, crossed->latency);
}

// Of all kinds, and all that comes out is valid and costs what it says.
TEST(StepMerging, IsSoundOnGraphsOfAllKinds) {
  Tally tally;
  std::uint64_t seed = 101;
  for (const char* const kind : {"random", "moe", "multi-head", "recurrent", "ragged", "unet"}) {
    for (const auto memory : {generator::Memory::kTight, generator::Memory::kRoomy}) {
      for (int i = 0; i < 6 && !testing::Test::HasFailure(); ++i, ++seed) {
        SCOPED_TRACE(std::string(kind) + " " + std::to_string(seed));
        const DepthReading depth = i % 2 == 0 ? DepthReading::kNative : DepthReading::kFull;
        expectSoundMerging(generated(kind, 20 + 10 * i, seed, memory), depth, seed, tally);
      }
    }
  }
  EXPECT_GT(tally.merged, 50);
  EXPECT_GT(tally.varied, 15);
  EXPECT_GT(tally.retaining, 15);
  EXPECT_GT(tally.crossed, 2);
}

}  // namespace
}  // namespace tilebeam::test
