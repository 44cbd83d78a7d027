#include "engine/step_unions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/candidate_generator.h"
#include "engine/limits.h"
#include "support/problem_builder.h"

namespace tilebeam::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Plan planOfSteps(const std::vector<std::vector<OpId>>& steps) {
  Plan plan;
  for (const auto& step : steps) plan.steps.push_back({step, {}, {}, {}});
  return plan;
}

// Ops 0 to 5, each taking the output of the one before.
Problem chain(int length = 6) {
  ProblemBuilder b;
  TensorId x = b.tensor(4, 4);
  for (int i = 0; i < length; ++i) x = b.pointwise({x});
  return b.build();
}

TEST(StepUnions, AreStepsAndPairsThatShareATensor) {
  const Problem problem = chain();
  const Plan plan = planOfSteps({ops({0, 1}), ops({2}), ops({3}), ops({4, 5})});
  const StepUnions unions(problem, plan);
  EXPECT_THAT(unions.startingAt(0), ElementsAre(ops({0, 1}), ops({0, 1, 2})));
  EXPECT_THAT(unions.startingAt(1), IsEmpty());
  EXPECT_THAT(unions.startingAt(2), ElementsAre(ops({2, 3})));
  EXPECT_THAT(unions.startingAt(3), ElementsAre(ops({3, 4, 5})));
  EXPECT_THAT(unions.startingAt(4), ElementsAre(ops({4, 5})));
}

TEST(StepUnions, TakeAnOpThatRunsTwiceOnce) {
  const Problem problem = chain();
  const Plan plan = planOfSteps({ops({0, 1}), ops({1, 2, 3}), ops({4, 5})});
  const StepUnions unions(problem, plan);
  EXPECT_THAT(unions.startingAt(0), ElementsAre(ops({0, 1}), ops({0, 1, 2, 3})));
}

TEST(StepUnions, StepsThatTakeOneTensorAreNeighbours) {
  ProblemBuilder b;
  const TensorId x = b.tensor(4, 4);
  b.pointwise({x});
  b.pointwise({x});
  const Problem problem = b.build();
  const Position first =
      std::min(problem.graph().position(OpId(0)), problem.graph().position(OpId(1)));
  const Plan plan = planOfSteps({ops({0}), ops({1})});
  EXPECT_EQ(StepUnions(problem, plan).startingAt(first).size(), 1U);
}

TEST(StepUnions, ArePairsWhicheverStepComesFirst) {
  ProblemBuilder b;
  const TensorId x = b.tensor(4, 4);
  const TensorId y = b.pointwise({x});
  const TensorId z = b.pointwise({x});
  b.pointwise({y, z});
  const Problem problem = b.build();
  const Plan plan = planOfSteps({ops({1}), ops({0, 2})});
  std::size_t found = 0;
  for (Position p = 0; p < 3; ++p) {
    for (const auto& set : StepUnions(problem, plan).startingAt(p))
      found += set.size() == 3 ? 1U : 0U;
  }
  EXPECT_EQ(found, 1U);
}

TEST(StepUnions, AreNoLargerThanACandidate) {
  const int length = static_cast<int>(kMaxCandidateOps) + 2;
  const Problem problem = chain(length);
  std::vector<OpId> most;
  for (int i = 0; i < length - 2; ++i) most.push_back(OpId(i));
  const Plan plan = planOfSteps({most, ops({length - 2, length - 1})});
  const StepUnions unions(problem, plan);
  EXPECT_THAT(unions.startingAt(0), ElementsAre(most));
}

// Beyond what growth reaches op by op within its limits.
TEST(StepUnions, JoinTheCandidates) {
  const Problem problem = chain(12);
  StepScorer scorer(problem, DepthReading::kNative);
  const OpPrices prices = singlePrices(scorer);
  const Plan plan = planOfSteps({ops({0, 1, 2, 3, 4, 5}), ops({6, 7, 8, 9, 10, 11})});
  const StepUnions unions(problem, plan);
  GeneratorLimits limits;
  limits.maxOps = 3;
  const auto largest = [&] {
    const CandidatePool pool = generateCandidates(scorer, SearchScope(12), limits, prices);
    std::size_t most = 0;
    for (CandidateId c = 0; c < pool.size(); ++c) most = std::max(most, pool.positions(c).size());
    return most;
  };
  EXPECT_EQ(largest(), 3U);
  limits.unions = &unions;
  EXPECT_EQ(largest(), 12U);
}

}  // namespace
}  // namespace tilebeam::test
