#include "engine/step_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/problem_builder.h"

namespace tilebeam::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// 0 feeds 1 and 2, which feed 3; 4 takes 3's output and another tensor.
Problem diamond() {
  ProblemBuilder b;
  const TensorId top = b.pointwise({b.tensor(4, 4)});
  const TensorId left = b.pointwise({top});
  const TensorId right = b.pointwise({top});
  const TensorId bottom = b.pointwise({left, right});
  b.pointwise({bottom, b.tensor(4, 4)});
  return b.build();
}

class StepGroupsTest : public testing::Test {
 protected:
  GroupId add(std::initializer_list<int> numbers, double latency = 1) {
    PlannedStep step{ops(numbers), {}, {}, {}};
    step.best.latency = latency;
    return groups_.add({step});
  }

  std::vector<std::vector<OpId>> stepsInOrder() const {
    std::vector<std::vector<OpId>> all;
    for (const PlannedStep& step : groups_.steps()) all.push_back(step.ops);
    return all;
  }

  Problem problem_ = diamond();
  SearchScope scope_{problem_.opCount()};
  Neighbours neighbours_{problem_, scope_, 6};
  StepGroups groups_{problem_, scope_, neighbours_};
};

TEST_F(StepGroupsTest, ThoseThatShareATensorAreNeighbours) {
  const GroupId top = add({0});
  const GroupId left = add({1});
  const GroupId right = add({2});
  const GroupId rest = add({3, 4});
  EXPECT_THAT(groups_.neighbours(top), ElementsAre(left, right));
  EXPECT_THAT(groups_.neighbours(left), ElementsAre(top, right, rest));
  EXPECT_THAT(groups_.placesNextTo(OpId(4)), IsEmpty());
  EXPECT_THAT(groups_.placesNextTo(OpId(3)), ElementsAre(StepPlace{left, 0}, StepPlace{right, 0}));
  EXPECT_TRUE(groups_.feeds(top, left));
  EXPECT_FALSE(groups_.feeds(left, top));
  EXPECT_FALSE(groups_.feeds(top, rest));
}

TEST_F(StepGroupsTest, StepsOfAChainAreNextToEachOther) {
  const GroupId chain = groups_.add({{ops({0}), {}, {}, {}}, {ops({1, 2}), {}, {}, {}}});
  const GroupId rest = add({3, 4});
  EXPECT_EQ(groups_.placeOf(OpId(0)), (StepPlace{chain, 0}));
  EXPECT_EQ(groups_.placeOf(OpId(2)), (StepPlace{chain, 1}));
  EXPECT_EQ(groups_.at({chain, 1}).ops, ops({1, 2}));
  EXPECT_THAT(groups_.placesNextTo(OpId(0)), ElementsAre(StepPlace{chain, 1}));
  EXPECT_THAT(groups_.placesNextTo(OpId(1)), ElementsAre(StepPlace{chain, 0}, StepPlace{rest, 0}));
  EXPECT_THAT(groups_.neighbours(chain), ElementsAre(rest));
}

TEST_F(StepGroupsTest, WhatIsForgottenLeavesItsNumber) {
  const GroupId all = add({0, 1, 2, 3, 4});
  groups_.remove(all);
  const GroupId first = add({0, 1});
  const GroupId second = add({2, 3, 4});
  groups_.remove(first);
  groups_.remove(second);
  groups_.restore(all);
  groups_.forgetFrom(first);
  EXPECT_EQ(groups_.size(), 1U);
  EXPECT_THAT(groups_.present(), ElementsAre(all));
  EXPECT_EQ(groups_.placeOf(OpId(4)).group, all);
}

TEST_F(StepGroupsTest, WhatLiesBetweenTwoComesWithThem) {
  const GroupId top = add({0});
  const GroupId left = add({1});
  const GroupId right = add({2});
  const GroupId bottom = add({3});
  add({4});
  EXPECT_THAT(groups_.withBetween(bottom, top), ElementsAre(top, left, right, bottom));
  EXPECT_THAT(groups_.withBetween(left, right), ElementsAre(left, right));
  EXPECT_THAT(groups_.opsOf(std::vector{bottom, top}), ElementsAre(OpId(0), OpId(3)));
}

TEST_F(StepGroupsTest, AGroupThatWaitsForItselfIsInACycle) {
  const GroupId ends = add({0, 3});
  const GroupId left = add({1});
  add({2});
  const GroupId last = add({4});
  EXPECT_TRUE(groups_.inCycle(ends));
  EXPECT_TRUE(groups_.inCycle(left));
  EXPECT_FALSE(groups_.inCycle(last));
}

TEST_F(StepGroupsTest, StepsStandInAnOrderInWhichNoneWaits) {
  add({4});
  add({3});
  add({0, 2});
  add({1});
  EXPECT_THAT(stepsInOrder(), ElementsAre(ops({0, 2}), ops({1}), ops({3}), ops({4})));
}

TEST(StepGroups, AnOpThatTakesATensorTwiceWaitsForItOnce) {
  ProblemBuilder b;
  const TensorId x = b.pointwise({b.tensor(4, 4)});
  b.matMul(x, x);
  const Problem problem = b.build();
  const SearchScope scope(problem.opCount());
  const Neighbours neighbours(problem, scope, 6);
  StepGroups groups(problem, scope, neighbours);
  groups.add({{ops({1}), {}, {}, {}}});
  groups.add({{ops({0}), {}, {}, {}}});
  ASSERT_EQ(groups.steps().size(), 2U);
  EXPECT_EQ(groups.steps()[0].ops, ops({0}));
}

TEST_F(StepGroupsTest, WhatIsRestoredIsAsBefore) {
  const GroupId top = add({0});
  const GroupId sides = add({1, 2});
  const GroupId rest = add({3, 4});
  groups_.remove(top);
  groups_.remove(sides);
  const GroupId merged = add({0, 1, 2});
  EXPECT_THAT(groups_.present(), ElementsAre(rest, merged));
  EXPECT_THAT(groups_.neighbours(rest), ElementsAre(merged));
  groups_.remove(merged);
  groups_.restore(top);
  groups_.restore(sides);
  EXPECT_THAT(groups_.present(), ElementsAre(top, sides, rest));
  EXPECT_THAT(groups_.neighbours(rest), ElementsAre(sides));
}

}  // namespace
}  // namespace tilebeam::test
