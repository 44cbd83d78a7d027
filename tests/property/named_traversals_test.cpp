// A named traversal and the same order written out are one thing to the evaluator; orders that are
// nearly named ones go another way and agree with the literal simulator.
#include <gtest/gtest.h>

#include <utility>

#include "support/cases.h"
#include "support/evaluations.h"
#include "support/random_schedules.h"

namespace tilebeam::test {
namespace {

void writeOut(Step& step, const Problem& problem) {
  const Subgraph s(problem, step.ops);
  const std::int64_t columns = (s.gridWidth() - 1) / step.granularity.width + 1;
  const std::int64_t rows = (s.gridHeight() - 1) / step.granularity.height + 1;
  step.traversal = {TraversalKind::kExplicit, tileOrder(step.traversal.kind, columns, rows)};
}

TEST(NamedTraversals, EqualTheirOrders) {
  Random random(5);
  int compared = 0;
  for (int round = 0; round < cases(4000) && !HasFailure(); ++round) {
    const Problem problem = randomStepProblem(random);
    const std::optional<Schedule> named = randomSchedule(problem, random);
    if (!named) continue;
    ++compared;
    Schedule listed = *named;
    for (Step& step : listed.steps) writeOut(step, problem);
    const DepthReading depth = random.chance(50) ? DepthReading::kNative : DepthReading::kFull;
    const Evaluation expected = evaluate(problem, named->steps, depth);
    const Evaluation actual = evaluate(problem, listed.steps, depth);
    ASSERT_EQ(actual.steps.size(), expected.steps.size());
    for (std::size_t i = 0; i < actual.steps.size(); ++i) {
      EXPECT_EQ(actual.steps[i].account.cost, expected.steps[i].account.cost);
    }
    for (Step& step : listed.steps) {
      if (step.traversal.order.size() > 1) {
        std::swap(step.traversal.order.end()[-1], step.traversal.order.end()[-2]);
      }
    }
    evaluate(problem, listed.steps, depth);  // holds both simulators against each other
  }
  EXPECT_GT(compared, cases(700));
}

}  // namespace
}  // namespace tilebeam::test
