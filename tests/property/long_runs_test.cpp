// Collapsed against literal where many tiles and k-steps lie between the special places: small
// native sizes, large grids, and tensors in two roles, whose slices coincide along diagonals.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support/cases.h"
#include "support/evaluations.h"
#include "support/problem_builder.h"
#include "support/random_steps.h"
#include "tilebeam/step_simulator.h"

namespace tilebeam::test {
namespace {

constexpr int kShapes = 10;

double cost(Random& random) { return static_cast<double>(random.between(0, 40)); }

// x is n x n and has two roles in each of these steps.
Problem twoRoles(int shape, std::int64_t n, std::int64_t m, std::int64_t nw, std::int64_t nh,
                 Random& random) {
  ProblemBuilder b;
  const TensorId x =
      b.native(nw, nh).bandwidth(static_cast<double>(random.between(1, 12))).tensor(n, n);
  const auto square = [&] { return b.tensor(n, n); };
  const auto times = [&](TensorId l, TensorId r) { return b.matMul(l, r, cost(random)); };
  const auto sum = [&](std::vector<TensorId> of) { b.pointwise(std::move(of), cost(random)); };
  switch (shape) {
    case 0:  // x x
      times(x, x);
      break;
    case 1:  // x x + x
      sum({times(x, x), x});
      break;
    case 2:  // x a + b x
      sum({times(x, square()), times(square(), x)});
      break;
    case 3:  // x a + b x + x + c d, with a reduction of its own
      sum({times(x, square()), times(square(), x), x, times(b.tensor(m, n), b.tensor(n, m))});
      break;
    case 4:  // (x x) x
      times(times(x, x), x);
      break;
    case 5:  // x (x x)
      times(x, times(x, x));
      break;
    case 6:  // (x a) (b x) + x
      sum({times(times(x, square()), times(square(), x)), x});
      break;
    case 7:  // x x + c d
      sum({times(x, x), times(b.tensor(m, n), b.tensor(n, m))});
      break;
    case 8:  // a x + x
      sum({times(square(), x), x});
      break;
    default: {  // x a + y with y used on both sides as well
      const TensorId y = square();
      sum({times(x, y), times(y, x), y});
    }
  }
  return b.build();
}

void compare(Random& random, std::int64_t most, std::int64_t mostNative, double mostIterations) {
  const std::int64_t nw = random.between(1, mostNative);
  const std::int64_t nh = random.chance(70) ? nw : random.between(1, mostNative);
  const std::int64_t n = random.between(1, most);
  const std::int64_t m = random.between(1, most);
  const int shape = static_cast<int>(random.between(0, kShapes - 1));
  const Problem problem = twoRoles(shape, n, m, nw, nh, random);
  const Subgraph subgraph(problem, allOps(problem));
  ASSERT_FALSE(subgraph.violation());
  Granularity g = randomGranularity(subgraph, random);
  if (random.chance(60)) g.width = g.height = g.depth = std::min({g.depth, nw, nh});
  const auto count = [](std::int64_t length, std::int64_t part) {
    return static_cast<double>((length - 1) / part + 1);
  };
  const double iterations =
      count(n, g.width) * count(n, g.height) * count(subgraph.maxRootReduction(), g.depth);
  if (iterations > mostIterations) return;
  const StepContext context = randomContext(subgraph, random);
  const DepthReading depth = random.chance(50) ? DepthReading::kNative : DepthReading::kFull;
  const CollapsedSimulator collapsed(subgraph, context, depth);
  for (const TraversalKind kind : kNamedTraversals) {
    SCOPED_TRACE("shape " + std::to_string(shape) + ", n " + std::to_string(n) + ", m " +
                 std::to_string(m) + ", granularity " + std::to_string(g.width) + " " +
                 std::to_string(g.height) + " " + std::to_string(g.depth) + ", traversal " +
                 std::to_string(static_cast<int>(kind)));
    const StepAccount expected = simulateLiteral(subgraph, g, {kind, {}}, context, depth);
    expectSame(collapsed.account(g, kind), expected);
    expectSame(collapsed.accountByWalk(g, kind), expected);
  }
}

TEST(LongRuns, TensorsInTwoRoles) {
  Random random(17);
  for (int i = 0; i < cases(1500) && !HasFailure(); ++i) compare(random, 30, 6, 3000);
}

TEST(LongRuns, TensorsInTwoRolesOnLargeGridsSlow) {
  Random random(18);
  for (int i = 0; i < cases(600) && !HasFailure(); ++i) compare(random, 60, 6, 40000);
}

}  // namespace
}  // namespace tilebeam::test
