// stepLowerBound() never exceeds what any granularity and traversal order that fit take.
#include "tilebeam/step_bound.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "support/exhaustive_step.h"
#include "support/random_steps.h"
#include "tilebeam/json_io.h"
#include "tilebeam/schedule_evaluator.h"
#include "tilebeam/start_corner.h"

namespace tilebeam::test {
namespace {

std::int64_t tileCount(const Subgraph& s, const Granularity& g) {
  return ((s.gridWidth() - 1) / g.width + 1) * ((s.gridHeight() - 1) / g.height + 1);
}

// All orders of few tiles; of more the snakes from all corners, and some random orders.
template <class Consider>
void considerOrders(const Subgraph& s, const CollapsedSimulator& simulator, const Granularity& g,
                    Random& random, const Consider& consider) {
  const std::int64_t columns = (s.gridWidth() - 1) / g.width + 1;
  const std::int64_t tiles = tileCount(s, g);
  if (tiles > 16) return;
  Traversal order{TraversalKind::kExplicit,
                  std::vector<std::int64_t>(static_cast<std::size_t>(tiles))};
  std::iota(order.order.begin(), order.order.end(), 0);
  if (tiles <= 4) {
    do consider(simulator.account(g, order).cost);
    while (std::next_permutation(order.order.begin(), order.order.end()));
    return;
  }
  for (const auto kind : {TraversalKind::kRowSnake, TraversalKind::kColumnSnake}) {
    for (const StartCorner start : {StartCorner{true, false}, {false, true}, {true, true}}) {
      const auto list = tileOrderFrom(start, kind, columns, tiles / columns);
      consider(simulator.account(g, {TraversalKind::kExplicit, list}).cost);
    }
  }
  order.order = tileOrder(TraversalKind::kColumnRaster, columns, tiles / columns);
  consider(simulator.account(g, order).cost);
  for (int i = 0; i < 4; ++i) {
    const auto a = static_cast<std::size_t>(random.between(0, tiles - 1));
    std::rotate(order.order.begin(), order.order.begin() + static_cast<std::ptrdiff_t>(a),
                order.order.end());
    std::swap(order.order.front(), order.order[a]);
    consider(simulator.account(g, order).cost);
  }
}

// With few granularities, and memory from too small to ample.
Problem tightStepProblem(Random& random) {
  const Problem problem = randomStepProblem(random);
  Hardware hardware = problem.hardware();
  hardware.nativeWidth = std::min<std::int64_t>(hardware.nativeWidth, 6);
  hardware.nativeHeight = std::min<std::int64_t>(hardware.nativeHeight, 6);
  hardware.fastMemoryCapacity = random.between(10, 600);
  return {{problem.tensors().begin(), problem.tensors().end()},
          {problem.ops().begin(), problem.ops().end()},
          hardware};
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
        for (const auto kind : kNamedTraversals) {
          consider(simulator.cost(g, kind));
        }
        considerOrders(s, simulator, g, random, consider);
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
    const Problem tight = tightStepProblem(random);
    const Hardware& hardware = tight.hardware();
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

// Whatever can be better than what is known is visited, and what is visited may be so.
TEST(VisitPromising, VisitsAllThatIsBetter) {
  Random random(31);
  int better = 0;
  for (int i = 0; i < 150; ++i) {
    const Problem tight = tightStepProblem(random);
    const Hardware& hardware = tight.hardware();
    const Subgraph subgraph(tight, allOps(tight));
    if (subgraph.violation()) continue;
    const StepContext context = randomContext(subgraph, random);
    const std::vector<StepForm> forms = allForms(subgraph, context);
    const double least = leastLatency(forms, hardware.fastMemoryCapacity);
    if (std::isinf(least)) continue;
    const double below = least * (1 + static_cast<double>(random.between(1, 50)) / 100);
    std::vector<Granularity> visited;
    constexpr std::int64_t kMany = 1'000'000;
    visitPromising(subgraph, context, DepthReading::kNative, 0, TileLengths::kAll, below, kMany,
                   [&](const Granularity& g) {
                     visited.push_back(g);
                     return below;
                   });
    // Lengths beyond the grid are one and the same.
    const auto same = [&](const Granularity& a, const Granularity& b) {
      return std::min(a.width, subgraph.gridWidth()) == std::min(b.width, subgraph.gridWidth()) &&
             std::min(a.height, subgraph.gridHeight()) ==
                 std::min(b.height, subgraph.gridHeight()) &&
             a.depth == b.depth;
    };
    for (const StepForm& form : forms) {
      if (form.cost.peakFastMemory > hardware.fastMemoryCapacity) continue;
      if (form.cost.latency >= below) continue;
      ++better;
      ASSERT_TRUE(std::any_of(visited.begin(), visited.end(),
                              [&](const Granularity& g) { return same(g, form.granularity); }))
          << "step " << i;
    }
    for (const Granularity& g : visited) ASSERT_FALSE(checkGranularity(subgraph, g));
  }
  EXPECT_GT(better, 500);
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

// A MatMul that takes one tensor, given or made in the step, as both operands, or as one and,
// behind it, tile by tile: strips over the same k-steps and tiles that meet on single tiles.
Problem problemOfManyRoles(Random& random) {
  const std::int64_t size = random.between(2, 9);
  std::vector<Tensor> tensors(4, Tensor{size, size});
  const auto add = [&](Tensor shape) {
    tensors.push_back(shape);
    return TensorId::fromIndex(tensors.size() - 1);
  };
  const auto cost = [&] { return static_cast<double>(random.between(0, 4)); };
  const TensorId x(0);
  std::vector<Op> ops;
  if (random.chance(50)) {
    const std::int64_t inner = random.chance(50) ? size : random.between(1, 9);
    const TensorId a = add({inner, size});
    const TensorId b = inner == size && random.chance(40) ? a : add({size, inner});
    ops.push_back({OpType::kMatMul, cost(), {a, b}, x});
  } else if (random.chance(30)) {
    ops.push_back({OpType::kPointwise, cost(), {add({size, size})}, x});
  }
  const bool squared = random.chance(60);
  ops.push_back({OpType::kMatMul, cost(), {x, squared ? x : TensorId(1)}, TensorId(2)});
  if (!squared || random.chance(50)) {
    const TensorId before = random.chance(70) ? x : TensorId(1);
    ops.push_back({OpType::kPointwise, cost(), {TensorId(2), before}, TensorId(3)});
  }
  Hardware hardware;
  hardware.nativeWidth = random.between(1, 6);
  hardware.nativeHeight = random.between(1, 6);
  hardware.slowMemoryBandwidth = static_cast<double>(random.between(1, 6));
  hardware.fastMemoryCapacity = random.between(6, 120);
  return Problem(tensors, ops, hardware);
}

struct Tally {
  int fitting = 0;
  int met = 0;
};

void holdManyRoles(int count, std::uint64_t seed, Tally& tally) {
  Random random(seed);
  for (int i = 0; i < count; ++i) {
    const Problem problem = problemOfManyRoles(random);
    const Subgraph subgraph(problem, allOps(problem));
    if (subgraph.violation()) continue;
    const StepContext context = randomContext(subgraph, random);
    const std::int64_t capacity = problem.hardware().fastMemoryCapacity;
    const auto depth = random.chance(50) ? DepthReading::kNative : DepthReading::kFull;
    const double best = bestFound(subgraph, context, depth, capacity, random);
    const double bound = stepLowerBound(subgraph, context, depth);
    ASSERT_LE(bound, best * (1 + 1e-9) + 1e-9) << "step " << i << writeProblem(problem);
    ASSERT_LE(stepFloor(subgraph, context, depth), bound) << "step " << i;
    if (std::isinf(best)) continue;
    ++tally.fitting;
    tally.met += bound >= best * (1 - 1e-9) ? 1 : 0;
  }
}

TEST(StepBound, MeetsTheBestOfTensorsInManyRoles) {
  Tally tally;
  ASSERT_NO_FATAL_FAILURE(holdManyRoles(200, 41, tally));
  EXPECT_GT(tally.met, tally.fitting * 85 / 100) << tally.fitting;
}

TEST(StepBound, SlowMeetsTheBestOfTensorsInManyRoles) {
  Tally tally;
  ASSERT_NO_FATAL_FAILURE(holdManyRoles(6000, 42, tally));
  EXPECT_GT(tally.met, tally.fitting * 85 / 100) << tally.fitting;
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
