#include "bound_structure.h"

#include <algorithm>
#include <limits>

namespace tilebeam {

bool isCut(const Problem& problem, TensorId t, OpId consumer) {
  const OpId producer = problem.graph().producer(t);
  const Op& op = problem.op(consumer);
  if (!producer.valid() || problem.op(producer).isMatMul() || !op.isMatMul()) return false;
  const Hardware& hardware = problem.hardware();
  const std::int64_t reduction = problem.reduction(consumer);
  if (reduction <= hardware.nativeDepth()) return false;
  // The reduction is split, so rule 3.5 asks for w >= K or h >= K.
  return (op.inputs[0] == t && reduction > hardware.nativeWidth) ||
         (op.inputs[1] == t && reduction > hardware.nativeHeight);
}

BoundStructure::BoundStructure(const Problem& problem) {
  findStrips(problem);
  findBlocks(problem);
}

// Consumers before producers: a tensor is made in strips where a MatMul takes it, directly or
// through Pointwise ops.
void BoundStructure::findStrips(const Problem& problem) {
  canBeLeft_.assign(problem.tensorCount(), false);
  canBeRight_.assign(problem.tensorCount(), false);
  const auto order = problem.graph().topologicalOrder();
  for (auto o = order.rbegin(); o != order.rend(); ++o) {
    const TensorId t = problem.op(*o).output;
    bool left = false;
    bool right = false;
    for (const OpId c : problem.graph().consumers(t)) {
      const Op& consumer = problem.op(c);
      if (!consumer.isMatMul()) {
        left = left || canBeLeft_[consumer.output.index()];
        right = right || canBeRight_[consumer.output.index()];
      } else if (!isCut(problem, t, c)) {
        left = left || consumer.inputs[0] == t;
        right = right || consumer.inputs[1] == t;
      }
    }
    canBeLeft_[t.index()] = left;
    canBeRight_[t.index()] = right;
  }
}

// An op at position i ends a block if
// - every earlier op has a consumer at i or earlier: then all of them are its ancestors;
// - every later op has a producer later than i, or is cut from the op at i: then all of them are
//   reached through a cut.
void BoundStructure::findBlocks(const Problem& problem) {
  const Graph& graph = problem.graph();
  const auto order = graph.topologicalOrder();
  const auto count = static_cast<std::int32_t>(order.size());
  std::vector<std::int32_t> nearestConsumer(order.size(), std::numeric_limits<std::int32_t>::max());
  std::vector<std::int32_t> nearestProducer(order.size(), -1);
  std::vector<bool> uncut(order.size(), false);  // some op's nearest producer, and not cut from it
  for (std::int32_t i = 0; i < count; ++i) {
    const OpId o = order[static_cast<std::size_t>(i)];
    bool cut = false;
    for (const TensorId t : problem.op(o).inputs) {
      const OpId producer = graph.producer(t);
      if (!producer.valid()) continue;
      const std::int32_t p = graph.position(producer);
      auto& nearest = nearestConsumer[static_cast<std::size_t>(p)];
      nearest = std::min(nearest, i);
      auto& mine = nearestProducer[static_cast<std::size_t>(i)];
      if (p > mine) cut = false;
      if (p >= mine) cut = cut || isCut(problem, t, o);
      mine = std::max(mine, p);
    }
    const std::int32_t mine = nearestProducer[static_cast<std::size_t>(i)];
    if (mine >= 0 && !cut) uncut[static_cast<std::size_t>(mine)] = true;
  }
  std::vector<bool> separated(order.size(), true);  // all later ops hang on i or later ones
  std::int32_t furthest = count;
  for (std::int32_t i = count - 1; i >= 0; --i) {
    separated[static_cast<std::size_t>(i)] = furthest >= i;
    furthest = std::min(furthest, nearestProducer[static_cast<std::size_t>(i)]);
  }
  block_.resize(order.size());
  std::uint32_t block = 0;
  std::int32_t awaited = 0;  // the latest of the nearest consumers of earlier ops
  for (std::int32_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    block_[order[at].index()] = block;
    if (awaited <= i && separated[at] && !uncut[at] && i + 1 < count) ++block;
    awaited = std::max(awaited, nearestConsumer[at]);
  }
  blockCount_ = block + 1;
}

}  // namespace tilebeam
