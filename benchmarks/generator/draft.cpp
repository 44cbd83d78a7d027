#include "benchmarks/generator/draft.h"

#include <algorithm>
#include <utility>

namespace tilebeam::generator {

Draft::Draft(int ops, const Setting& setting, const Rng& rng)
    : room_(ops), setting_(setting), rng_(rng) {
  ops_.reserve(static_cast<std::size_t>(ops));
}

std::int64_t Draft::edge(std::initializer_list<std::int64_t> choices) {
  return edgeNear(rng_.pick(choices));
}

std::int64_t Draft::edgeNear(std::int64_t size) {
  if (setting_.sizes != Sizes::kRagged) return size;
  size -= rng_.between(0, size / 4);
  while (size % setting_.nativeWidth == 0 || size % setting_.nativeHeight == 0) --size;
  return size;
}

TensorId Draft::input(std::int64_t rows, std::int64_t columns) {
  if (full()) return {};
  tensors_.push_back({columns, rows});
  return TensorId::fromIndex(tensors_.size() - 1);
}

TensorId Draft::append(OpType type, double cost, std::vector<TensorId> inputs, Tensor shape) {
  tensors_.push_back(shape);
  const TensorId output = TensorId::fromIndex(tensors_.size() - 1);
  ops_.push_back({type, cost, std::move(inputs), output});
  return output;
}

TensorId Draft::matMul(TensorId lhs, TensorId rhs, double cost) {
  if (full()) return {};
  const Tensor shape{tensors_[rhs.index()].width, tensors_[lhs.index()].height};
  return append(OpType::kMatMul, cost, {lhs, rhs}, shape);
}

TensorId Draft::multiply(TensorId lhs, TensorId rhs) {
  return matMul(lhs, rhs, setting_.costs.contraction);
}

TensorId Draft::project(TensorId x, TensorId weights) {
  return matMul(x, weights, setting_.costs.projection);
}

TensorId Draft::project(TensorId x, std::int64_t columns) {
  if (full()) return {};
  return project(x, input(tensors_[x.index()].width, columns));
}

TensorId Draft::projectLeft(std::int64_t rows, TensorId x) {
  if (full()) return {};
  return project(input(rows, tensors_[x.index()].height), x);
}

TensorId Draft::activate(TensorId x) {
  if (full()) return {};
  return append(OpType::kPointwise, setting_.costs.activation, {x}, tensors_[x.index()]);
}

TensorId Draft::add(const std::vector<TensorId>& parts) {
  if (full()) return {};
  return append(OpType::kPointwise, setting_.costs.add, parts, tensors_[parts.front().index()]);
}

TensorId Draft::sum(const std::vector<TensorId>& parts, std::size_t fanIn, bool balanced) {
  std::vector<TensorId> queue = parts;
  std::size_t head = 0;
  while (queue.size() - head > 1) {
    const std::size_t end = std::min(head + fanIn, queue.size());
    const TensorId partial = add({queue.begin() + static_cast<std::ptrdiff_t>(head),
                                  queue.begin() + static_cast<std::ptrdiff_t>(end)});
    head = end;
    if (balanced) {
      queue.push_back(partial);
    } else {
      queue[--head] = partial;
    }
  }
  return queue[head];
}

void Draft::fill(TensorId x) {
  while (!full()) x = activate(x);
}

void Draft::shuffleOps() {
  for (std::size_t i = ops_.size(); i > 1; --i) std::swap(ops_[i - 1], ops_[rng_.below(i)]);
}

void Draft::take(std::vector<Tensor>& tensors, std::vector<Op>& ops) {
  std::vector<TensorId> renamed(tensors_.size());
  const auto touch = [&](TensorId t) { renamed[t.index()] = t; };
  for (const Op& op : ops_) {
    std::for_each(op.inputs.begin(), op.inputs.end(), touch);
    touch(op.output);
  }
  tensors.clear();
  for (std::size_t t = 0; t < tensors_.size(); ++t) {
    if (!renamed[t].valid()) continue;
    renamed[t] = TensorId::fromIndex(tensors.size());
    tensors.push_back(tensors_[t]);
  }
  ops = std::exchange(ops_, {});
  for (Op& op : ops) {
    for (TensorId& t : op.inputs) t = renamed[t.index()];
    op.output = renamed[op.output.index()];
  }
  tensors_.clear();
}

}  // namespace tilebeam::generator
