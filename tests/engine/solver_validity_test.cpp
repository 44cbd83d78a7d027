// Whatever the problem: a valid schedule, at the cost that the evaluator says, no worse than one op
// per step.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "engine/candidate_generator.h"
#include "support/problem_builder.h"
#include "support/solve_checks.h"

namespace tilebeam::test {
namespace {

double oneOpPerStep(const Problem& problem) {
  StepScorer scorer(problem, DepthReading::kNative);
  const OpPrices singles = singlePrices(scorer);
  return std::accumulate(singles.begin(), singles.end(), 0.0);
}

void solveAndCheck(const Problem& problem, const SolverOptions& options,
                   SimulatorChoice simulator) {
  const SolveResult result = solve(problem, options);
  expectSound(problem, result, simulator);
  EXPECT_LE(result.totalLatency, oneOpPerStep(problem) * (1 + 1e-9));
}

class EveryKind : public testing::TestWithParam<std::string> {};

TEST_P(EveryKind, IsSolvedAtSmallSizes) {
  for (const int ops : {1, 2, 5, 14}) {
    SCOPED_TRACE(std::to_string(ops) + " ops");
    const int most = GetParam() == "tiny" ? 6 : ops;
    solveAndCheck(generated(GetParam(), std::min(ops, most), static_cast<std::uint64_t>(ops)),
                  roundsOnly(2, 3), SimulatorChoice::kLiteral);
  }
}

// What is written before the search begins is what the search begins with.
TEST_P(EveryKind, TheScheduleOfSingleOpsIsTheFirstIncumbent) {
  const Problem problem = generated(GetParam(), 6, 3);
  const auto first = singleOpSchedule(problem);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->schedule.steps.size(), problem.opCount());
  const Evaluation evaluation = ScheduleEvaluator(problem).evaluate(first->schedule);
  ASSERT_TRUE(evaluation.valid());
  const double total =
      std::accumulate(first->stepLatencies.begin(), first->stepLatencies.end(), 0.0);
  EXPECT_NEAR(total, evaluation.totalLatency, 1e-9 * total);
  for (std::size_t s = 0; s < evaluation.steps.size(); ++s) {
    const double latency = evaluation.steps[s].account.cost.latency;
    EXPECT_NEAR(first->stepLatencies[s], latency, 1e-9 * latency) << s;
  }
  EXPECT_NEAR(total, solve(problem, roundsOnly(1, 1)).history.front().latency, 1e-9 * total);
}

// It is not put to the evaluator before it is written.
TEST(SingleOps, TheScheduleIsValidWhateverTheMachine) {
  for (const char* const kind : {"ragged", "random", "moe", "recurrent"}) {
    for (const auto memory : {generator::Memory::kTight, generator::Memory::kRoomy}) {
      for (const DepthReading depth : {DepthReading::kNative, DepthReading::kFull}) {
        const Problem problem = generated(kind, 60, 7, memory);
        SolverOptions options;
        options.depth = depth;
        const auto first = singleOpSchedule(problem, options);
        if (!first) continue;
        const Evaluation evaluation = ScheduleEvaluator(problem, {depth}).evaluate(first->schedule);
        ASSERT_TRUE(evaluation.valid()) << kind << ": " << evaluation.violation->message();
        for (std::size_t s = 0; s < evaluation.steps.size(); ++s) {
          const double latency = evaluation.steps[s].account.cost.latency;
          EXPECT_NEAR(first->stepLatencies[s], latency, 1e-9 * latency) << kind << s;
        }
      }
    }
  }
}

TEST(SingleOps, NoScheduleWhereAnOpDoesNotFit) {
  ProblemBuilder builder;
  builder.capacity(1).pointwise({builder.tensor(64, 64)});
  EXPECT_FALSE(singleOpSchedule(builder.build()));
}

TEST_P(EveryKind, IsSolvedInEveryMemory) {
  for (const auto memory : {generator::Memory::kTight, generator::Memory::kRoomy}) {
    solveAndCheck(generated(GetParam(), 6, 3, memory), roundsOnly(2, 3), SimulatorChoice::kLiteral);
  }
}

TEST_P(EveryKind, IsSolvedAtFullDepth) {
  SolverOptions options = roundsOnly(2, 3);
  options.depth = DepthReading::kFull;
  const Problem problem = generated(GetParam(), 6, 4);
  expectSound(problem, solve(problem, options), SimulatorChoice::kLiteral);
}

TEST_P(EveryKind, IsSolvedAtLargerSizesSlow) {
  if (GetParam() == "tiny") GTEST_SKIP() << "has six ops at most";
  for (const int ops : {50, 120}) {
    SCOPED_TRACE(std::to_string(ops) + " ops");
    solveAndCheck(generated(GetParam(), ops), roundsOnly(4, 2), SimulatorChoice::kFastest);
  }
}

std::vector<std::string> kindNames() {
  std::vector<std::string> names;
  for (const auto& kind : generator::kinds()) names.push_back(kind.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(SolverTest, EveryKind, testing::ValuesIn(kindNames()),
                         [](const auto& kind) {
                           std::string word = kind.param;
                           std::erase(word, '-');
                           return word;
                         });

// A group needs less room than its last op alone: at one element, 2 against 3.
TEST(SolverTest, GroupsWhatDoesNotFitAlone) {
  ProblemBuilder b;
  const TensorId x = b.capacity(2).native(4, 4).tensor(4, 4);
  b.pointwise({b.pointwise({x}), x});
  const Problem problem = b.build();
  const SolveResult result = solve(problem, roundsOnly(2, 2));
  expectSound(problem, result, SimulatorChoice::kLiteral);
  EXPECT_EQ(result.schedule.steps.size(), 1U);
}

TEST(SolverTest, GroupsThreeOpsWhereNoTwoFit) {
  ProblemBuilder b;
  const TensorId x = b.capacity(2).native(4, 4).tensor(4, 4);
  const TensorId left = b.pointwise({x});
  b.pointwise({left, b.pointwise({x})});
  const Problem problem = b.build();
  const SolveResult result = solve(problem, roundsOnly(2, 2));
  expectSound(problem, result, SimulatorChoice::kLiteral);
  EXPECT_EQ(result.schedule.steps.size(), 1U);
}

// Enough pairs for several segments; a cut through a pair leaves an op that does not fit.
TEST(SolverTest, GroupsPairsThatOnlyFitTogether) {
  ProblemBuilder b;
  TensorId x = b.capacity(2).native(4, 4).tensor(4, 4);
  for (int pair = 0; pair < 200; ++pair) x = b.pointwise({b.pointwise({x}), x});
  const Problem problem = b.build();
  expectSound(problem, solve(problem, roundsOnly(2, 2)));
}

TEST(SolverTest, SegmentsAreSolved) {
  for (const char* kind : {"transformer", "random", "unet"}) {
    SCOPED_TRACE(kind);
    const Problem problem = generated(kind, 300);
    SolverOptions options = roundsOnly(3, 2);
    options.without.insert(Feature::kMerging);  // what it makes of segments has another name
    const SolveResult result = solve(problem, options);
    expectSound(problem, result);
    EXPECT_TRUE(std::any_of(result.history.begin(), result.history.end(),
                            [](const Incumbent& i) { return i.source == "segments"; }));
  }
}

TEST(SolverTest, AThousandOpsAreSolvedSlow) {
  SolverOptions options;
  options.timeLimit = 6;
  for (const char* kind : {"transformer", "random"}) {
    SCOPED_TRACE(kind);
    solveAndCheck(generated(kind, 1000), options, SimulatorChoice::kFastest);
  }
}

}  // namespace
}  // namespace tilebeam::test
