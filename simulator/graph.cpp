#include "tilebeam/graph.h"

#include <algorithm>
#include <string>
#include <utility>

#include "tilebeam/errors.h"
#include "tilebeam/problem.h"

namespace tilebeam {
namespace {

std::vector<OpId> findProducers(std::size_t tensorCount, std::span<const Op> ops) {
  std::vector<OpId> producer(tensorCount);
  for (std::size_t o = 0; o < ops.size(); ++o) {
    OpId& slot = producer[ops[o].output.index()];
    if (slot.valid()) {
      throw InputError("tensor " + std::to_string(ops[o].output.value()) + ": produced by op " +
                       std::to_string(slot.value()) + " and by op " + std::to_string(o) +
                       "; a tensor has at most one producer");
    }
    slot = OpId::fromIndex(o);
  }
  return producer;
}

enum class Mark : std::uint8_t { kNew, kOpen, kDone };

// Depth-first post-order over producers, without recursion: chains may be a million ops long.
class PostOrder {
 public:
  PostOrder(std::span<const Op> ops, const std::vector<OpId>& producer)
      : ops_(ops), producer_(producer), marks_(ops.size(), Mark::kNew) {
    order_.reserve(ops.size());
  }

  void visit(OpId start) {
    if (marks_[start.index()] != Mark::kNew) return;
    push(start);
    while (!stack_.empty()) {
      Frame& frame = stack_.back();
      const auto& inputs = ops_[frame.op.index()].inputs;
      if (frame.next == inputs.size()) {
        marks_[frame.op.index()] = Mark::kDone;
        order_.push_back(frame.op);
        stack_.pop_back();
        continue;
      }
      const OpId producer = producer_[inputs[frame.next++].index()];
      if (!producer.valid()) continue;
      if (marks_[producer.index()] == Mark::kOpen) {
        throw InputError("op " + std::to_string(producer.value()) +
                         ": depends on its own output; the ops must form a DAG");
      }
      if (marks_[producer.index()] == Mark::kNew) push(producer);
    }
  }

  std::vector<OpId> take() { return std::move(order_); }

 private:
  struct Frame {
    OpId op;
    std::size_t next;
  };
  void push(OpId o) {
    marks_[o.index()] = Mark::kOpen;
    stack_.push_back({o, 0});
  }

  std::span<const Op> ops_;
  const std::vector<OpId>& producer_;
  std::vector<Mark> marks_;
  std::vector<Frame> stack_;
  std::vector<OpId> order_;
};

}  // namespace

Graph::Graph(std::size_t tensorCount, std::span<const Op> ops)
    : producer_(findProducers(tensorCount, ops)), consumerBegin_(tensorCount + 1, 0) {
  std::vector<OpId> last(tensorCount);
  const auto eachInputOnce = [&](auto&& visit) {
    std::fill(last.begin(), last.end(), OpId());
    for (std::size_t o = 0; o < ops.size(); ++o) {
      for (const TensorId t : ops[o].inputs) {
        const OpId id = OpId::fromIndex(o);
        if (std::exchange(last[t.index()], id) != id) visit(id, t);
      }
    }
  };
  eachInputOnce([&](OpId, TensorId t) { ++consumerBegin_[t.index() + 1]; });
  for (std::size_t t = 0; t < tensorCount; ++t) consumerBegin_[t + 1] += consumerBegin_[t];
  consumers_.resize(consumerBegin_.back());
  std::vector<std::uint32_t> fill(consumerBegin_.begin(), consumerBegin_.end() - 1);
  eachInputOnce([&](OpId o, TensorId t) { consumers_[fill[t.index()]++] = o; });

  PostOrder postOrder(ops, producer_);
  for (std::size_t o = 0; o < ops.size(); ++o) {
    if (consumers(ops[o].output).empty()) postOrder.visit(OpId::fromIndex(o));
  }
  // What no output depends on can only be a cycle; visiting it says so.
  for (std::size_t o = 0; o < ops.size(); ++o) postOrder.visit(OpId::fromIndex(o));
  order_ = postOrder.take();
  position_.resize(ops.size());
  for (std::size_t i = 0; i < order_.size(); ++i) {
    position_[order_[i].index()] = static_cast<std::int32_t>(i);
  }
}

}  // namespace tilebeam
