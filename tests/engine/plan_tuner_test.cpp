// Tuned steps against all forms of small steps, and what tuning is worth to a schedule.
#include "engine/plan_tuner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "support/exhaustive_step.h"
#include "support/overtime.h"
#include "support/problem_builder.h"
#include "support/random_steps.h"
#include "support/solve_checks.h"

namespace tilebeam::test {
namespace {

// With room for some of its forms.
Problem withCapacity(const Problem& problem, std::int64_t capacity) {
  Hardware hardware = problem.hardware();
  hardware.fastMemoryCapacity = capacity;
  return {{problem.tensors().begin(), problem.tensors().end()},
          {problem.ops().begin(), problem.ops().end()},
          hardware};
}

struct Tally {
  int feasible = 0;
  int beyond = 0;  // better than any named traversal, from whatever corner
};

void tuneOne(std::uint64_t seed, Tally& tally) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  const Problem any = randomStepProblem(random);
  const auto depth = random.chance(50) ? DepthReading::kNative : DepthReading::kFull;
  StepContext context;
  std::vector<StepForm> forms;
  {
    const Subgraph subgraph(any, allOps(any));
    if (subgraph.violation()) return;
    context = randomContext(subgraph, random);
    forms = allForms(subgraph, context, depth);
  }
  if (forms.empty()) return;
  const StepForm& one = forms[static_cast<std::size_t>(
      random.between(0, static_cast<std::int64_t>(forms.size()) - 1))];
  const Problem problem = withCapacity(any, one.cost.peakFastMemory + random.between(-1, 1));
  const std::int64_t capacity = problem.hardware().fastMemoryCapacity;
  const Subgraph subgraph(problem, allOps(problem));
  const double least = leastLatency(forms, capacity);

  // From scratch, and from what the granularity search has found.
  StepOptimiser optimiser;
  const BestStep known = optimiser.optimise(subgraph, context, depth);
  for (const BestStep& start : {BestStep{}, known}) {
    const OrderedStep step = tuned(subgraph, context, depth, {start, {}}, [] { return false; });
    ASSERT_EQ(step.best.feasible(), std::isfinite(least));
    if (!step.best.feasible()) continue;
    ++tally.feasible;
    ASSERT_LE(step.best.latency, least * (1 + 1e-9));
    tally.beyond += step.best.latency < least * (1 - 1e-9) ? 1 : 0;
    const PlannedStep planned = plannedStep(problem, allOps(problem), context.retained, step);
    const StepAccount literal =
        simulateLiteral(subgraph, step.best.granularity, stepOf(planned).traversal, context, depth);
    ASSERT_NEAR(literal.cost.latency, step.best.latency, 1e-9 * std::max(1.0, least));
    ASSERT_LE(literal.cost.peakFastMemory, capacity);
  }
}

void tuneMany(std::uint64_t first, std::uint64_t count) {
  Tally tally;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    ASSERT_NO_FATAL_FAILURE(tuneOne(seed, tally));
  }
  EXPECT_GT(tally.feasible, static_cast<int>(count) / 2);
  EXPECT_GT(tally.beyond, 0);
}

TEST(Tuned, NoFormOfASmallStepIsBetter) { tuneMany(1, 400); }

TEST(Tuned, NoFormOfASmallStepIsBetterSlow) { tuneMany(10'000, 2'000); }

SolverOptions fourRounds(DepthReading depth) {
  SolverOptions options = roundsOnly(4, 1);
  options.depth = depth;
  return options;
}

// What the search's own forms leave on the table: 2.6 % and 1.9 %.
TEST(PlanTuner, BettersSchedules) {
  struct Case {
    const char* kind;
    std::uint64_t seed;
    DepthReading depth;
    double gain;
  };
  for (const Case& c : {Case{"unet", 5, DepthReading::kFull, 0.02},
                        Case{"ragged", 28, DepthReading::kNative, 0.01}}) {
    SCOPED_TRACE(c.kind);
    const Problem problem = generated(c.kind, 16, c.seed, generator::Memory::kRoomy);
    const SolveResult tuned = solve(problem, fourRounds(c.depth));
    expectSound(problem, tuned, SimulatorChoice::kLiteral);
    SolverOptions options = fourRounds(c.depth);
    options.without.insert(Feature::kTuning);
    const SolveResult plain = solve(problem, options);
    EXPECT_LT(tuned.totalLatency, plain.totalLatency * (1 - c.gain));
    const auto isTuning = [](const Incumbent& i) { return std::string(i.source) == "tuning"; };
    EXPECT_TRUE(std::any_of(tuned.history.begin(), tuned.history.end(), isTuning));
    EXPECT_FALSE(std::any_of(plain.history.begin(), plain.history.end(), isTuning));
  }
}

bool isHalved(std::int64_t length, std::int64_t native) {
  while (native > length && native % 2 == 0) native /= 2;
  return native == length;
}

// Tuning tries all orders and all lengths, so it is left out with these. It was not, and 5 of 62
// schedules had snakes, 10 of 30 fine tiles.
TEST(PlanTuner, BringsInNothingThatTheSearchIsToGoWithout) {
  SolverOptions options = fourRounds(DepthReading::kFull);
  options.without.insert(Feature::kSnakes);
  const Problem heads = generated("multi-head", 15, 23107, generator::Memory::kContest);
  for (const Step& step : solve(heads, options).schedule.steps) {
    EXPECT_EQ(step.traversal.kind, TraversalKind::kRaster);
  }
  options = fourRounds(DepthReading::kNative);
  options.without.insert(Feature::kFineTiles);
  const Problem transformer = generated("transformer", 21, 5874, generator::Memory::kTight);
  const Hardware& hardware = transformer.hardware();
  for (const Step& step : solve(transformer, options).schedule.steps) {
    EXPECT_TRUE(isHalved(step.granularity.width, hardware.nativeWidth));
    EXPECT_TRUE(isHalved(step.granularity.height, hardware.nativeHeight));
  }
}

// A tensor that is demanded over its rows and over its columns: rectangles meet on single tiles,
// which are walked then. Took 6 to 15 s of one step.
TEST(Tuned, TakesAMomentWhereTilesAreWalked) {
  ProblemBuilder b;
  b.capacity(250000).bandwidth(3);
  const TensorId raw = b.tensor(4000, 4000);
  const TensorId a = b.pointwise({raw}, 3);
  const TensorId left = b.matMul(a, raw, 100);
  const TensorId right = b.matMul(raw, a, 100);
  b.pointwise({left, right, raw, a}, 3);
  const Problem problem = b.build();
  const auto never = [] { return false; };
  const double before = processorSeconds();
  for (const auto& set :
       {ops({1}), ops({0, 1}), ops({0, 1, 2}), ops({1, 2, 3}), ops({0, 1, 2, 3})}) {
    const Subgraph subgraph(problem, set);
    if (subgraph.violation()) continue;
    StepContext context;
    context.stored.push_back(problem.op(set.back()).output);
    tuned(subgraph, context, DepthReading::kNative, {}, never);
  }
  EXPECT_LT(processorSeconds() - before, 2);
}

// Of a billion tile lengths few make another number of tiles. Took 30 s.
TEST(StepOptimiser, LongNativeSizesTakeAMoment) {
  for (const bool tall : {false, true}) {
    constexpr std::int64_t kLong = 1'000'000'000;
    ProblemBuilder b;
    b.capacity(1000).bandwidth(20).native(tall ? 1 : kLong, tall ? kLong : 1);
    b.pointwise({b.pointwise({b.tensor(tall ? 1 : kLong, tall ? kLong : 1)}, 1000)}, 10);
    const Problem problem = b.build();
    const Subgraph subgraph(problem, ops({0, 1}));
    StepContext context;
    context.stored.push_back(problem.op(OpId(1)).output);
    const double before = processorSeconds();
    StepOptimiser optimiser;
    EXPECT_TRUE(optimiser.optimise(subgraph, context, DepthReading::kNative).feasible());
    EXPECT_LT(processorSeconds() - before, 1);
  }
}

// A solve without tuning, and a tuner for what it has found.
class TunerOfAPlan : public testing::Test {
 protected:
  TunerOfAPlan() {
    SolverOptions options = fourRounds(DepthReading::kFull);
    options.without.insert(Feature::kTuning);
    const SolveResult result = solve(problem_, options);
    plans_.offer(planOf(result.schedule, result.stepLatencies));
  }

  Plan tune(bool stopped = false) {
    return tuner_.tune(
        plans_.incumbent(), [stopped] { return stopped; }, recorder_);
  }

  const Problem problem_ = generated("random", 24, 18, generator::Memory::kRoomy);
  StepScorer scorer_{problem_, DepthReading::kFull};
  BestPlans plans_{problem_, {DepthReading::kFull, SimulatorChoice::kLiteral}};
  PlanTuner tuner_{scorer_};
  TraceRecorder recorder_{nullptr};
};

TEST_F(TunerOfAPlan, HasNothingMoreToDoTheSecondTime) {
  const double before = plans_.incumbent().plan.latency;
  const Plan better = tune();
  ASSERT_FALSE(better.steps.empty());
  EXPECT_LT(better.latency, before);
  EXPECT_FALSE(tuner_.hasMore());
  EXPECT_NEAR(tune().latency, better.latency, 1e-9 * before);
  EXPECT_TRUE(plans_.offer(better));
  EXPECT_EQ(plans_.rejected(), 0);
  EXPECT_TRUE(tune().steps.empty());
}

TEST_F(TunerOfAPlan, StopsWhenTold) { EXPECT_TRUE(tune(true).steps.empty()); }

}  // namespace
}  // namespace tilebeam::test
