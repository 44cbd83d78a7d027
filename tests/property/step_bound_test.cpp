// stepLowerBound() never exceeds what any granularity and traversal order that fit take.
#include "tilebeam/step_bound.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <utility>

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

// A MatMul with a square right-hand (left-hand) side, and behind it a Pointwise that takes the
// MatMul's other operand too: strips and tiles of one tensor meet on single tiles. Some with
// another root, of whatever reduction.
Problem problemOfMeetingDemands(Random& random) {
  const std::int64_t size = random.between(2, 9);
  const std::int64_t other = random.between(2, 9);
  const bool left = random.chance(50);
  const Tensor shared = left ? Tensor{size, other} : Tensor{other, size};
  const std::int64_t depth = random.between(1, 9);
  std::vector<Tensor> tensors{shared, {size, size}, shared, shared};
  if (random.chance(50)) {
    tensors.push_back({depth, shared.height});
    tensors.push_back({shared.width, depth});
    tensors.push_back(shared);
  }
  std::vector<TensorId> ids;
  for (std::size_t i = 0; i < tensors.size(); ++i) ids.push_back(TensorId::fromIndex(i));
  const auto cost = [&] { return static_cast<double>(random.between(0, 4)); };
  std::vector<Op> ops;
  ops.push_back({OpType::kMatMul, cost(),
                 left ? std::vector{ids[0], ids[1]} : std::vector{ids[1], ids[0]}, ids[2]});
  std::vector<TensorId> joined{ids[2], ids[0]};
  if (ids.size() > 4) {
    ops.push_back({OpType::kMatMul, cost(), {ids[4], ids[5]}, ids[6]});
    joined.push_back(ids[6]);
  }
  ops.push_back({OpType::kPointwise, cost(), std::move(joined), ids[3]});
  Hardware hardware;
  hardware.nativeWidth = random.between(1, 6);
  hardware.nativeHeight = random.between(1, 6);
  hardware.slowMemoryBandwidth = static_cast<double>(random.between(1, 6));
  hardware.fastMemoryCapacity = random.between(6, 80);
  return Problem(tensors, ops, hardware);
}

TEST(StepBound, HoldsWhereStripsMeetTiles) {
  Random random(31);
  int met = 0;
  int fitting = 0;
  for (int i = 0; i < 400; ++i) {
    const Problem problem = problemOfMeetingDemands(random);
    const Subgraph subgraph(problem, allOps(problem));
    const StepContext context{{}, {TensorId(3)}, {}};
    const std::int64_t capacity = problem.hardware().fastMemoryCapacity;
    const double best = bestFound(subgraph, context, DepthReading::kNative, capacity, random);
    const double bound = stepLowerBound(subgraph, context, DepthReading::kNative);
    ASSERT_LE(bound, best * (1 + 1e-9) + 1e-9) << "step " << i;
    ASSERT_LE(stepFloor(subgraph, context, DepthReading::kNative), bound) << "step " << i;
    if (std::isinf(best)) continue;
    ++fitting;
    met += bound >= best * (1 - 1e-9) ? 1 : 0;
  }
  EXPECT_GT(fitting, 200);
  EXPECT_GT(met, fitting / 2) << fitting;
}

TEST(StepBound, IsNeverExceeded) { holdSteps(300, 5); }
TEST(StepBound, SlowIsNeverExceeded) { holdSteps(6000, 99); }

}  // namespace
}  // namespace tilebeam::test
