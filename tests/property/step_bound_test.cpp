// stepLowerBound() never exceeds what any granularity and traversal order that fit take.
#include "tilebeam/step_bound.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "support/random_steps.h"
#include "tilebeam/schedule_evaluator.h"

namespace tilebeam::test {
namespace {

std::int64_t tileCount(const Subgraph& s, const Granularity& g) {
  return ((s.gridWidth() - 1) / g.width + 1) * ((s.gridHeight() - 1) / g.height + 1);
}

// The best of the named traversals and some random orders, over all granularities.
double bestFound(const Subgraph& s, const StepContext& context, DepthReading depth,
                 std::int64_t capacity, Random& random) {
  const CollapsedSimulator simulator(s, context, depth);
  const Hardware& hardware = s.problem().hardware();
  double best = std::numeric_limits<double>::infinity();
  const auto consider = [&](const StepCost& cost) {
    if (cost.peakFastMemory <= capacity) best = std::min(best, cost.latency);
  };
  for (std::int64_t w = 1; w <= hardware.nativeWidth; ++w) {
    for (std::int64_t h = 1; h <= hardware.nativeHeight; ++h) {
      for (std::int64_t k = 1; k <= (s.hasMatMul() ? hardware.nativeDepth() : 1); ++k) {
        const Granularity g{w, h, k};
        if (checkGranularity(s, g)) continue;
        for (const auto kind :
             {TraversalKind::kRaster, TraversalKind::kRowSnake, TraversalKind::kColumnSnake}) {
          consider(simulator.cost(g, kind));
        }
        const std::int64_t tiles = tileCount(s, g);
        if (tiles > 12) continue;
        Traversal order{TraversalKind::kExplicit,
                        std::vector<std::int64_t>(static_cast<std::size_t>(tiles))};
        std::iota(order.order.begin(), order.order.end(), 0);
        for (int i = 0; i < 4; ++i) {
          const auto a = static_cast<std::size_t>(random.between(0, tiles - 1));
          std::rotate(order.order.begin(), order.order.begin() + static_cast<std::ptrdiff_t>(a),
                      order.order.end());
          std::swap(order.order.front(), order.order[a]);
          consider(simulator.account(g, order).cost);
        }
      }
    }
  }
  return best;
}

void holdSteps(int count, std::uint64_t seed) {
  Random random(seed);
  int met = 0;
  int fitting = 0;
  for (int i = 0; i < count; ++i) {
    Problem problem = randomStepProblem(random);
    Hardware hardware = problem.hardware();
    hardware.nativeWidth = std::min<std::int64_t>(hardware.nativeWidth, 6);
    hardware.nativeHeight = std::min<std::int64_t>(hardware.nativeHeight, 6);
    hardware.fastMemoryCapacity = random.between(10, 600);
    const Problem tight({problem.tensors().begin(), problem.tensors().end()},
                        {problem.ops().begin(), problem.ops().end()}, hardware);
    const Subgraph subgraph(tight, allOps(tight));
    if (subgraph.violation()) continue;
    const StepContext context = randomContext(subgraph, random);
    const auto depth = random.chance(50) ? DepthReading::kNative : DepthReading::kFull;
    const std::int64_t extra = random.chance(20) ? random.between(1, 50) : 0;
    const double best =
        bestFound(subgraph, context, depth, hardware.fastMemoryCapacity - extra, random);
    const double bound = stepLowerBound(subgraph, context, depth, extra);
    ASSERT_LE(bound, best * (1 + 1e-9) + 1e-9) << "step " << i;
    if (std::isinf(best)) continue;
    ++fitting;
    met += bound >= best * (1 - 1e-9) ? 1 : 0;
  }
  EXPECT_GT(met, fitting / 2) << fitting;
}

TEST(StepBound, IsNeverExceeded) { holdSteps(300, 5); }
TEST(StepBound, SlowIsNeverExceeded) { holdSteps(6000, 99); }

}  // namespace
}  // namespace tilebeam::test
