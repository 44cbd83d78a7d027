#include "engine/neighbours.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "engine/ancestors.h"
#include "support/problem_builder.h"
#include "support/random_schedules.h"

namespace tilebeam::test {
namespace {

bool touches(const Op& op, TensorId t) {
  return op.output == t || std::find(op.inputs.begin(), op.inputs.end(), t) != op.inputs.end();
}

bool shareATensor(const Op& a, const Op& b) {
  return touches(b, a.output) ||
         std::any_of(a.inputs.begin(), a.inputs.end(), [&](TensorId t) { return touches(b, t); });
}

const Op& opAt(const Problem& problem, Position p) {
  return problem.op(problem.graph().topologicalOrder()[static_cast<std::size_t>(p)]);
}

TEST(Neighbours, AreTheOpsThatShareATensor) {
  Random random(1);
  for (int i = 0; i < 50; ++i) {
    const Problem problem = randomDag(random, 20);
    const Neighbours neighbours(problem, SearchScope(20), 20);
    for (Position p = 0; p < 20; ++p) {
      std::vector<Position> expected;
      for (Position q = 0; q < 20; ++q) {
        if (q != p && shareATensor(opAt(problem, p), opAt(problem, q))) expected.push_back(q);
      }
      EXPECT_THAT(neighbours.of(p), testing::UnorderedElementsAreArray(expected)) << p;
    }
  }
}

TEST(Neighbours, StandInTheScope) {
  Random random(2);
  const std::vector<Position> members{3, 4, 7, 8, 9, 15};
  for (int i = 0; i < 50; ++i) {
    const Problem problem = randomDag(random, 20);
    const Neighbours all(problem, SearchScope(20), 20);
    const Neighbours some(problem, SearchScope(members), 20);
    for (const Position p : members) {
      std::vector<Position> expected;
      for (const Position q : all.of(p)) {
        if (std::find(members.begin(), members.end(), q) != members.end()) expected.push_back(q);
      }
      EXPECT_THAT(some.of(p), testing::ElementsAreArray(expected)) << p;
    }
    EXPECT_TRUE(some.of(5).empty());
  }
}

TEST(Neighbours, OfManyConsumersAreTheNearest) {
  ProblemBuilder b;
  const TensorId x = b.tensor(4, 4);
  for (int i = 0; i < 9; ++i) b.pointwise({x});
  const Problem problem = b.build();
  const Neighbours neighbours(problem, SearchScope(9), 2);
  for (Position p = 0; p < 9; ++p) {
    // One of the two is the op itself.
    ASSERT_EQ(neighbours.of(p).size(), 1U) << p;
    EXPECT_EQ(std::abs(neighbours.of(p)[0] - p), 1) << p;
  }
}

std::set<Position> walkedBack(const Problem& problem, Position p) {
  std::set<Position> found;
  std::vector<Position> open{p};
  while (!open.empty()) {
    const Op& op = opAt(problem, open.back());
    open.pop_back();
    for (const TensorId t : op.inputs) {
      const OpId producer = problem.graph().producer(t);
      if (!producer.valid()) continue;
      const Position q = problem.graph().position(producer);
      if (found.insert(q).second) open.push_back(q);
    }
  }
  return found;
}

TEST(Ancestors, AreThoseThatAWalkBackFinds) {
  Random random(3);
  for (int i = 0; i < 20; ++i) {
    const Problem problem = randomDag(random, 40);
    const Ancestors ancestors(problem, 0, 40);
    for (Position p = 0; p < 40; ++p) {
      const std::set<Position> expected = walkedBack(problem, p);
      for (Position q = 0; q < p; ++q) {
        EXPECT_EQ(ancestors.leads(q, p), expected.contains(q)) << q << " " << p;
      }
    }
  }
}

}  // namespace
}  // namespace tilebeam::test
