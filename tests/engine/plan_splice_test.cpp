#include "engine/plan_splice.h"

#include <gtest/gtest.h>

#include <array>

namespace tilebeam::test {
namespace {

PlannedStep step(std::initializer_list<int> ops, double latency, bool retains = false) {
  PlannedStep step;
  for (const int o : ops) step.ops.push_back(OpId(o));
  step.best.latency = latency;
  if (retains) step.retained.push_back(TensorId(0));
  return step;
}

Plan plan(std::vector<PlannedStep> steps) {
  Plan plan{0, std::move(steps)};
  for (const PlannedStep& s : plan.steps) plan.latency += s.best.latency;
  return plan;
}

Plan spliced(const Plan& a, const Plan& b) {
  const std::array<const Plan*, 2> both{&a, &b};
  return splice(both);
}

std::vector<double> latencies(const Plan& plan) {
  std::vector<double> all;
  for (const PlannedStep& s : plan.steps) all.push_back(s.best.latency);
  return all;
}

TEST(PlanSpliceTest, TakesTheCheaperStretchBetweenEqualCoverage) {
  const Plan a = plan({step({0, 1}, 1), step({2}, 5), step({3}, 5), step({4, 5}, 2)});
  const Plan b = plan({step({1}, 3), step({0}, 3), step({2, 3}, 4), step({4}, 4), step({5}, 4)});
  const Plan best = spliced(a, b);
  EXPECT_EQ(latencies(best), (std::vector<double>{1, 4, 2}));
  EXPECT_EQ(best.latency, 7);
  EXPECT_EQ(latencies(spliced(b, a)), latencies(best));
}

TEST(PlanSpliceTest, OrderWithinAStretchDoesNotMatterButItsOpsDo) {
  const Plan a = plan({step({0}, 1), step({1}, 9), step({2}, 1)});
  const Plan b = plan({step({0, 2}, 5), step({1}, 2)});
  EXPECT_EQ(latencies(spliced(a, b)), (std::vector<double>{5, 2}));
  EXPECT_EQ(spliced(a, a).latency, a.latency);
}

TEST(PlanSpliceTest, NothingRetainedIsPartedFromItsTaker) {
  const Plan a = plan({step({0}, 1, true), step({1}, 9), step({2}, 3)});
  const Plan b = plan({step({0}, 2), step({1}, 5), step({2}, 4)});
  // 1 and 5 would be best, but the first hands a tensor to the 9.
  EXPECT_EQ(latencies(spliced(a, b)), (std::vector<double>{2, 5, 3}));
}

TEST(PlanSpliceTest, SetsOfOneSizeAreToldApart) {
  const Plan a = plan({step({0}, 1), step({1}, 5), step({2}, 1), step({3}, 5)});
  const Plan b = plan({step({1}, 1), step({0}, 5), step({3}, 1), step({2}, 5)});
  const Plan c = plan({step({2}, 1), step({3}, 1), step({0}, 4), step({1}, 4)});
  const std::array<const Plan*, 3> all{&a, &b, &c};
  EXPECT_EQ(splice(all).latency, 10);
}

TEST(PlanSpliceTest, NothingIsMadeThatReachesTheLimit) {
  const Plan a = plan({step({0}, 1), step({1}, 9)});
  const Plan b = plan({step({0}, 5), step({1}, 2)});
  const std::array<const Plan*, 2> both{&a, &b};
  EXPECT_TRUE(splice(both, 3).steps.empty());
  EXPECT_EQ(latencies(splice(both, 3.5)), (std::vector<double>{1, 2}));
}

}  // namespace
}  // namespace tilebeam::test
