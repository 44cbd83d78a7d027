// Which ops a path leads from to an op.
#pragma once

#include <bitset>
#include <vector>

#include "engine/candidate_pool.h"
#include "engine/limits.h"
#include "tilebeam/problem.h"

namespace tilebeam {

// Of the ops at positions [begin, end) in topological order, as far as they stand within kMaxWindow
// positions of each other.
class Ancestors {
 public:
  Ancestors(const Problem& problem, Position begin, Position end) : begin_(begin) {
    const Graph& graph = problem.graph();
    const auto order = graph.topologicalOrder();
    before_.resize(static_cast<std::size_t>(end - begin));
    for (Position p = begin; p < end; ++p) {
      Bits& bits = before_[static_cast<std::size_t>(p - begin)];
      for (const TensorId t : problem.op(order[static_cast<std::size_t>(p)]).inputs) {
        const OpId producer = graph.producer(t);
        if (!producer.valid() || graph.position(producer) < begin) continue;
        const Position q = graph.position(producer);
        const auto distance = static_cast<std::size_t>(p - q);
        if (distance > kMaxWindow) continue;
        bits |= before_[static_cast<std::size_t>(q - begin)] << distance;
        bits.set(distance - 1);
      }
    }
  }

  // `from` < `to`.
  bool leads(Position from, Position to) const {
    const auto distance = static_cast<std::size_t>(to - from);
    return distance <= kMaxWindow &&
           before_[static_cast<std::size_t>(to - begin_)].test(distance - 1);
  }

 private:
  using Bits = std::bitset<kMaxWindow>;  // bit i: the op i + 1 positions before

  Position begin_;
  std::vector<Bits> before_;
};

}  // namespace tilebeam
