// Who produces and who consumes each tensor, and an order of the ops, in flat arrays.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tilebeam/id.h"

namespace tilebeam {

struct Op;

class Graph {
 public:
  Graph() = default;

  // Throws InputError if a tensor has two producers or the ops form a cycle.
  Graph(std::size_t tensorCount, std::span<const Op> ops);

  // The op that outputs `t`, or an invalid id.
  OpId producer(TensorId t) const { return producer_[t.index()]; }

  // The ops that take `t`, each once, in increasing order.
  std::span<const OpId> consumers(TensorId t) const {
    return {consumers_.data() + consumerBegin_[t.index()],
            consumers_.data() + consumerBegin_[t.index() + 1]};
  }

  // All ops, producers before consumers. Depth first from the outputs back, so that ops which feed
  // one another stand close together: a window of this order holds whole neighbourhoods.
  std::span<const OpId> topologicalOrder() const { return order_; }

  // Where an op stands in topologicalOrder().
  std::int32_t position(OpId o) const { return position_[o.index()]; }

 private:
  std::vector<OpId> producer_;
  std::vector<std::uint32_t> consumerBegin_;
  std::vector<OpId> consumers_;
  std::vector<OpId> order_;
  std::vector<std::int32_t> position_;
};

}  // namespace tilebeam
