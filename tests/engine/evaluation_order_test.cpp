// Schedules, valid and broken, whose steps are judged in any order: the verdict is the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "support/random_steps.h"
#include "support/solve_checks.h"
#include "tilebeam/schedule_evaluator.h"

namespace tilebeam::test {
namespace {

// Breaks something, most of the time.
void spoil(Schedule& schedule, Random& random) {
  const auto pick = [&](std::size_t count) {
    return static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(count) - 1));
  };
  Step& step = schedule.steps[pick(schedule.steps.size())];
  switch (random.between(0, 5)) {
    case 0:
      step.granularity.width *= 2;
      break;
    case 1:
      step.granularity.depth *= 64;
      break;
    case 2:
      step.ops.erase(step.ops.begin() + static_cast<std::ptrdiff_t>(pick(step.ops.size())));
      break;
    case 3:
      std::swap(step, schedule.steps[pick(schedule.steps.size())]);
      break;
    case 4:
      step.retained.push_back(TensorId::fromIndex(pick(1000000)));
      break;
    default:
      step.traversal = {TraversalKind::kExplicit, {1, 0}};
  }
}

void expectSame(const Evaluation& a, const Evaluation& b) {
  ASSERT_EQ(a.valid(), b.valid());
  if (!a.valid()) {
    EXPECT_EQ(a.violation->message(), b.violation->message());
  }
  EXPECT_EQ(a.totalLatency, b.totalLatency);
  ASSERT_EQ(a.steps.size(), b.steps.size());
  for (std::size_t i = 0; i < a.steps.size(); ++i) {
    EXPECT_EQ(a.steps[i].account.cost, b.steps[i].account.cost);
    EXPECT_EQ(a.steps[i].stored, b.steps[i].stored);
  }
}

TEST(EvaluationOrderTest, StepsMayBeJudgedInAnyOrder) {
  Random random(46);
  std::mt19937 shuffler(46);
  int broken = 0;
  for (const char* kind : {"transformer", "random", "unet"}) {
    const Problem problem = generated(kind, 24);
    const Schedule good = solve(problem, roundsOnly(2, 1)).schedule;
    EvaluatorOptions shuffled;
    shuffled.forEachStep = [&](std::size_t count, const auto& judge) {
      std::vector<std::size_t> order(count);
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::shuffle(order.begin(), order.end(), shuffler);
      std::for_each(order.begin(), order.end(), judge);
    };
    for (int round = 0; round < 200 && !HasFailure(); ++round) {
      Schedule schedule = good;
      for (int spoilt = 0; spoilt < round % 4; ++spoilt) spoil(schedule, random);
      const Evaluation expected = ScheduleEvaluator(problem).evaluate(schedule);
      if (!expected.valid()) ++broken;
      expectSame(ScheduleEvaluator(problem, shuffled).evaluate(schedule), expected);
    }
  }
  EXPECT_GT(broken, 300);
}

}  // namespace
}  // namespace tilebeam::test
