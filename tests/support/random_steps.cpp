#include "support/random_steps.h"

#include <algorithm>

namespace tilebeam::test {
namespace {

class StepProblemBuilder {
 public:
  explicit StepProblemBuilder(Random& random) : random_(random) {
    const std::int64_t count = random_.between(1, 3);
    for (std::int64_t i = 0; i < count; ++i) sizes_.push_back(random_.between(1, 18));
    hardware_.nativeWidth = random_.between(2, 9);
    hardware_.nativeHeight = random_.chance(40) ? hardware_.nativeWidth : random_.between(2, 9);
    hardware_.fastMemoryCapacity = 1'000'000;
    hardware_.slowMemoryBandwidth = static_cast<double>(random_.between(1, 20));
  }

  Problem build() {
    const Tensor grid{size(), size()};
    const std::int64_t sinks = random_.between(1, 3);
    for (std::int64_t i = 0; i < sinks; ++i) makeOp(grid, 0);
    return Problem(tensors_, ops_, hardware_);
  }

 private:
  std::int64_t size() {
    return sizes_[static_cast<std::size_t>(
        random_.between(0, static_cast<std::int64_t>(sizes_.size()) - 1))];
  }

  TensorId add(Tensor shape) {
    tensors_.push_back(shape);
    return TensorId::fromIndex(tensors_.size() - 1);
  }

  // Ops are appended after their inputs are complete, so the list is in topological order, and a
  // tensor that exists when an op is made can be its input without a cycle.
  TensorId makeOp(Tensor shape, int depth) {
    Op op;
    op.baseCost = static_cast<double>(random_.between(0, 60));
    if (random_.chance(50)) {
      op.type = OpType::kMatMul;
      const std::int64_t reduction = size();
      op.inputs = {input({reduction, shape.height}, depth), input({shape.width, reduction}, depth)};
    } else {
      const std::int64_t inputs = random_.between(1, 3);
      for (std::int64_t i = 0; i < inputs; ++i) op.inputs.push_back(input(shape, depth));
    }
    op.output = add(shape);
    ops_.push_back(op);
    return op.output;
  }

  TensorId input(Tensor shape, int depth) {
    std::vector<TensorId> known;
    for (std::size_t t = 0; t < tensors_.size(); ++t) {
      if (tensors_[t] == shape) known.push_back(TensorId::fromIndex(t));
    }
    if (!known.empty() && random_.chance(50)) {
      return known[static_cast<std::size_t>(
          random_.between(0, static_cast<std::int64_t>(known.size()) - 1))];
    }
    if (depth < 3 && ops_.size() < 6 && random_.chance(55)) return makeOp(shape, depth + 1);
    return add(shape);
  }

  Random& random_;
  std::vector<std::int64_t> sizes_;
  std::vector<Tensor> tensors_;
  std::vector<Op> ops_;
  Hardware hardware_;
};

}  // namespace

Problem randomStepProblem(Random& random) { return StepProblemBuilder(random).build(); }

std::vector<OpId> allOps(const Problem& problem) {
  const auto order = problem.graph().topologicalOrder();
  return {order.begin(), order.end()};
}

StepContext randomContext(const Subgraph& subgraph, Random& random) {
  StepContext context;
  for (const TensorId t : subgraph.produced()) {
    if (!subgraph.atTilePosition(t)) {
      if (random.chance(10)) context.resident.push_back(t);  // carried in and made again
      continue;
    }
    const bool sink = subgraph.isSinkOutput(t);
    if (random.chance(25)) {
      context.retained.push_back(t);
    } else if (sink || random.chance(30)) {
      context.stored.push_back(t);
    } else if (random.chance(10)) {
      context.resident.push_back(t);
    }
  }
  for (const TensorId t : subgraph.external()) {
    if (random.chance(15)) context.resident.push_back(t);
  }
  std::sort(context.resident.begin(), context.resident.end());
  return context;
}

Granularity randomGranularity(const Subgraph& subgraph, Random& random) {
  const Hardware& hardware = subgraph.problem().hardware();
  Granularity g{random.between(1, hardware.nativeWidth), random.between(1, hardware.nativeHeight),
                1};
  if (!subgraph.hasMatMul()) {
    g.depth = random.between(-1, 20);  // ignored, whatever it is
    return g;
  }
  const std::int64_t deepest = std::min(hardware.nativeDepth(), subgraph.minReduction());
  g.depth = random.chance(30) ? deepest : random.between(1, deepest);
  if (random.chance(30)) g.width = std::min(g.depth, hardware.nativeWidth);
  if (random.chance(30)) g.height = std::min(g.depth, hardware.nativeHeight);
  while (g.depth < deepest && (subgraph.prologueWidth(g.depth) > hardware.nativeWidth ||
                               subgraph.prologueHeight(g.depth) > hardware.nativeHeight)) {
    ++g.depth;
  }
  g.width = std::max(g.width, std::min(hardware.nativeWidth, subgraph.prologueWidth(g.depth)));
  g.height = std::max(g.height, std::min(hardware.nativeHeight, subgraph.prologueHeight(g.depth)));
  return g;
}

}  // namespace tilebeam::test
