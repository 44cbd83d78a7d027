#include "engine/step_chains.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/regrouping.h"
#include "support/problem_builder.h"
#include "tilebeam/schedule_evaluator.h"

namespace tilebeam::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// 0 feeds 1 and 2; 3 takes from 1 and 2, 4 from 3.
Problem diamond() {
  ProblemBuilder b;
  b.bandwidth(1);
  const TensorId top = b.pointwise({b.tensor(64, 64)}, 10);
  const TensorId left = b.pointwise({top}, 10);
  const TensorId right = b.pointwise({top}, 10);
  const TensorId bottom = b.pointwise({left, right}, 10);
  b.pointwise({bottom}, 10);
  return b.build();
}

class StepChainsTest : public testing::Test {
 protected:
  static PlannedStep step(std::initializer_list<int> numbers,
                          std::initializer_list<int> retained = {}) {
    PlannedStep s{ops(numbers), {}, {}, {}};
    for (const int o : retained) s.retained.push_back(kProblem.op(OpId(o)).output);
    return s;
  }
  const StepChains& chains() const { return scope_.chains; }
  bool holdTogether(const StepChain& chain) const {
    return chains().holdsTogether(ChainSketch(chain));
  }

  static inline const Problem kProblem = diamond();
  StepScorer scorer_{kProblem, DepthReading::kNative};
  SearchScope whole_{kProblem.opCount()};
  std::function<bool()> stop_ = [this] { return stopped_; };
  bool stopped_ = false;
  RegroupingScope scope_{scorer_, whole_, {}, stop_};
};

TEST_F(StepChainsTest, OnlyWhatTheTwoAloneTakeIsHandedOn) {
  EXPECT_THAT(chains().handedOn(ops({0}), ops({1})), IsEmpty());
  EXPECT_THAT(chains().handedOn(ops({0}), ops({1, 2})), ElementsAre(kProblem.op(OpId(0)).output));
  EXPECT_THAT(chains().handedOn(ops({0, 1}), ops({2})), ElementsAre(kProblem.op(OpId(0)).output));
  EXPECT_THAT(chains().handedOn(ops({1, 2}), ops({3})),
              ElementsAre(kProblem.op(OpId(1)).output, kProblem.op(OpId(2)).output));
  EXPECT_THAT(chains().handedOn(ops({3}), ops({1, 2})), IsEmpty());
}

TEST_F(StepChainsTest, HoldTogetherInOrderAndAsLongAsWhatIsRetainedIsTaken) {
  EXPECT_TRUE(holdTogether({step({0}, {0}), step({1, 2}, {1, 2}), step({3, 4})}));
  EXPECT_FALSE(holdTogether({step({0}), step({3, 4}), step({1, 2})}));
  EXPECT_FALSE(holdTogether({step({0}, {0}), step({1}), step({2})}));
  EXPECT_FALSE(holdTogether({step({0}, {0})}));
  EXPECT_FALSE(holdTogether({step({0}, {1}), step({1, 2})}));
}

TEST_F(StepChainsTest, StepsOfAChainCostWhatTheEvaluatorSays) {
  StepChain chain{step({0}, {0}), step({1, 2}, {1, 2}), step({3, 4})};
  for (std::size_t i = 0; i < chain.size(); ++i) ASSERT_TRUE(chains().rescore(chain, i)) << i;
  Plan plan;
  for (const PlannedStep& s : chain) {
    plan.steps.push_back(plannedStep(kProblem, s.ops, s.retained, s.best));
  }
  const Evaluation evaluation =
      ScheduleEvaluator(kProblem, {DepthReading::kNative, SimulatorChoice::kLiteral})
          .evaluate(scheduleOf(plan));
  ASSERT_TRUE(evaluation.valid()) << evaluation.violation->message();
  EXPECT_NEAR(evaluation.totalLatency, latencyOf(chain), 1e-9 * latencyOf(chain));
  EXPECT_LT(chain[2].best.latency, chains().score(ops({3, 4})).latency);
}

TEST_F(StepChainsTest, AStepThatWaitsForItselfFitsNowhere) {
  EXPECT_TRUE(chains().score(ops({0, 1})).feasible());
  EXPECT_FALSE(chains().score(ops({0, 3})).feasible());
}

TEST_F(StepChainsTest, NothingFitsOnceStopped) {
  stopped_ = true;
  EXPECT_FALSE(chains().score(ops({0})).feasible());
}

TEST_F(StepChainsTest, UnitedSetsAreInOrder) {
  EXPECT_EQ(chains().united(ops({0, 3}), ops({1, 4})), ops({0, 1, 3, 4}));
}

}  // namespace
}  // namespace tilebeam::test
