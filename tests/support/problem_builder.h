// Problems and schedules in a few words. Ops and tensors are numbered in the order in which they
// are made; output tensors come with their op.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "tilebeam/problem.h"
#include "tilebeam/schedule.h"

namespace tilebeam::test {

class ProblemBuilder {
 public:
  // A bandwidth of 10 and native 128 x 128, as in the cost model's examples, and room for all.
  ProblemBuilder() { hardware_ = {std::int64_t{1} << 60, 10, 128, 128}; }

  ProblemBuilder& capacity(std::int64_t elements) {
    hardware_.fastMemoryCapacity = elements;
    return *this;
  }
  ProblemBuilder& bandwidth(double elementsPerTime) {
    hardware_.slowMemoryBandwidth = elementsPerTime;
    return *this;
  }
  ProblemBuilder& native(std::int64_t width, std::int64_t height) {
    hardware_.nativeWidth = width;
    hardware_.nativeHeight = height;
    return *this;
  }

  TensorId tensor(std::int64_t width, std::int64_t height) {
    tensors_.push_back({width, height});
    return TensorId::fromIndex(tensors_.size() - 1);
  }

  // The new op's output.
  TensorId pointwise(std::vector<TensorId> inputs, double baseCost = 1) {
    const Tensor shape = tensors_[inputs.front().index()];
    return add(OpType::kPointwise, std::move(inputs), shape, baseCost);
  }
  TensorId matMul(TensorId lhs, TensorId rhs, double baseCost = 1) {
    const Tensor shape{tensors_[rhs.index()].width, tensors_[lhs.index()].height};
    return add(OpType::kMatMul, {lhs, rhs}, shape, baseCost);
  }

  Problem build() const { return Problem(tensors_, ops_, hardware_); }

 private:
  TensorId add(OpType type, std::vector<TensorId> inputs, Tensor shape, double baseCost) {
    const TensorId output = tensor(shape.width, shape.height);
    ops_.push_back({type, baseCost, std::move(inputs), output});
    return output;
  }

  std::vector<Tensor> tensors_;
  std::vector<Op> ops_;
  Hardware hardware_;
};

inline std::vector<OpId> ops(std::initializer_list<std::int32_t> numbers) {
  return {numbers.begin(), numbers.end()};
}

inline std::vector<TensorId> tensors(std::initializer_list<std::int32_t> numbers) {
  return {numbers.begin(), numbers.end()};
}

inline Step step(std::initializer_list<std::int32_t> opNumbers, const Granularity& granularity,
                 std::vector<TensorId> retained = {}, Traversal traversal = {}) {
  return {ops(opNumbers), granularity, std::move(retained), std::move(traversal), std::nullopt};
}

inline Traversal inOrder(std::vector<std::int64_t> order) {
  return {TraversalKind::kExplicit, std::move(order)};
}

}  // namespace tilebeam::test
