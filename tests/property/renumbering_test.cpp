// Steps that differ in nothing but their tensors' numbers cost the same to the last bit. The step
// cache rests on that: which of two such steps is scored first hangs on timing, and must not
// matter.
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "support/cases.h"
#include "support/random_steps.h"
#include "tilebeam/step_simulator.h"

namespace tilebeam::test {
namespace {

std::vector<std::size_t> randomPermutation(std::size_t size, Random& random) {
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = size; i-- > 1;) {
    std::swap(order[i],
              order[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(i)))]);
  }
  return order;
}

// The problem with tensor t renamed to number[t], and costs that are no integers.
Problem renumbered(const Problem& problem, const std::vector<std::size_t>& number) {
  std::vector<Tensor> tensors(problem.tensorCount());
  for (std::size_t t = 0; t < number.size(); ++t) {
    tensors[number[t]] = problem.tensors()[t];
  }
  std::vector<Op> ops(problem.ops().begin(), problem.ops().end());
  for (Op& op : ops) {
    op.baseCost /= 7;
    for (TensorId& t : op.inputs) t = TensorId::fromIndex(number[t.index()]);
    op.output = TensorId::fromIndex(number[op.output.index()]);
  }
  return Problem(std::move(tensors), std::move(ops), problem.hardware());
}

StepContext storingSinks(const Subgraph& subgraph) {
  StepContext context;
  for (const OpId o : subgraph.sinks()) {
    context.stored.push_back(subgraph.problem().op(o).output);
  }
  return context;
}

TEST(Renumbering, LeavesEveryBitOfTheCost) {
  Random random(42);
  int steps = 0;
  for (int i = 0; i < cases(3000) && !HasFailure(); ++i) {
    const Problem problem = randomStepProblem(random);
    std::vector<std::size_t> same(problem.tensorCount());
    std::iota(same.begin(), same.end(), std::size_t{0});
    const Problem first = renumbered(problem, same);
    const Problem second = renumbered(problem, randomPermutation(problem.tensorCount(), random));
    const Subgraph a(first, allOps(problem));
    const Subgraph b(second, allOps(problem));
    if (a.violation()) continue;
    const CollapsedSimulator one(a, storingSinks(a), DepthReading::kNative);
    const CollapsedSimulator other(b, storingSinks(b), DepthReading::kNative);
    for (int round = 0; round < 4; ++round, ++steps) {
      const Granularity g = randomGranularity(a, random);
      for (const TraversalKind kind : kNamedTraversals) {
        EXPECT_EQ(one.cost(g, kind), other.cost(g, kind)) << "problem " << i;
        EXPECT_EQ(one.accountByWalk(g, kind).cost, other.accountByWalk(g, kind).cost);
      }
    }
  }
  EXPECT_GT(steps, cases(8000));
}

}  // namespace
}  // namespace tilebeam::test
