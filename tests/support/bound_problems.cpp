#include "support/bound_problems.h"

#include <algorithm>
#include <utility>

namespace tilebeam::test {
namespace {

// A chain or a small tree of ops on few shapes, deep reductions over small native sizes, so that
// most operands are split.
class Maker {
 public:
  explicit Maker(Random& random) : random_(random) {
    const std::int64_t count = random_.between(1, 3);
    for (std::int64_t i = 0; i < count; ++i) sizes_.push_back(random_.between(1, 9));
    hardware_.nativeWidth = random_.between(1, 4);
    hardware_.nativeHeight = random_.chance(40) ? hardware_.nativeWidth : random_.between(1, 4);
    hardware_.slowMemoryBandwidth = static_cast<double>(random_.between(1, 12));
    hardware_.fastMemoryCapacity =
        random_.chance(70) ? random_.between(4, 40) : random_.between(20, 200);
    maxCost_ = random_.chance(50) ? 5 : 40;
  }

  Problem build(std::size_t maxOps) {
    const auto ops =
        static_cast<std::size_t>(random_.between(1, static_cast<std::int64_t>(maxOps)));
    newTensor({size(), size()});
    while (ops_.size() < ops) addOp();
    return Problem(tensors_, ops_, hardware_);
  }

 private:
  std::int64_t size() {
    return sizes_[static_cast<std::size_t>(
        random_.between(0, static_cast<std::int64_t>(sizes_.size()) - 1))];
  }

  TensorId newTensor(Tensor shape) {
    tensors_.push_back(shape);
    return TensorId::fromIndex(tensors_.size() - 1);
  }

  // The newest tensor most often, so that graphs are deep.
  TensorId base() {
    const auto last = static_cast<std::int64_t>(tensors_.size()) - 1;
    if (!ops_.empty() && random_.chance(65)) return ops_.back().output;
    return TensorId::fromIndex(static_cast<std::size_t>(random_.between(0, last)));
  }

  TensorId operand(Tensor shape) {
    std::vector<TensorId> known;
    for (std::size_t t = 0; t < tensors_.size(); ++t) {
      if (tensors_[t] == shape) known.push_back(TensorId::fromIndex(t));
    }
    if (known.empty() || random_.chance(60)) return newTensor(shape);
    return known[static_cast<std::size_t>(
        random_.between(0, static_cast<std::int64_t>(known.size()) - 1))];
  }

  void addOp() {
    Op op;
    op.baseCost = static_cast<double>(random_.between(0, maxCost_));
    const TensorId from = base();
    Tensor shape = tensors_[from.index()];
    if (random_.chance(55)) {
      op.type = OpType::kMatMul;
      const std::int64_t other = size();
      if (random_.chance(60)) {
        op.inputs = {from, operand({other, shape.width})};
        shape = {other, shape.height};
      } else {
        op.inputs = {operand({shape.height, other}), from};
        shape = {shape.width, other};
      }
    } else {
      op.inputs = {from};
      if (random_.chance(40)) op.inputs.push_back(operand(shape));
    }
    op.output = newTensor(shape);
    ops_.push_back(op);
  }

  Random& random_;
  std::vector<std::int64_t> sizes_;
  std::vector<Tensor> tensors_;
  std::vector<Op> ops_;
  Hardware hardware_;
  std::int64_t maxCost_ = 5;
};

// Each chain starts at a tensor of its own; its i-th MatMul takes the i-th shared operand.
class ChainMaker {
 public:
  explicit ChainMaker(Random& random) : random_(random), right_(random.chance(50)) {
    hardware_.nativeWidth = random_.between(1, 3);
    hardware_.nativeHeight = random_.between(1, 4);
    hardware_.slowMemoryBandwidth = static_cast<double>(random_.between(1, 8));
    along_ = random_.between(1, 6);
    for (int i = 0; i < 3; ++i) lengths_.push_back(random_.between(2, 8));
    if (random_.chance(50)) lengths_[2] = lengths_[1] = lengths_[0];
    for (std::size_t i = 0; i + 1 < lengths_.size(); ++i) {
      shared_.push_back(newTensor(shape(lengths_[i + 1], lengths_[i])));
    }
    const std::int64_t largest = tensors_[shared_[0].index()].area();
    hardware_.fastMemoryCapacity =
        random_.between(std::max<std::int64_t>(3, largest / 4), largest + 3);
    maxCost_ = random_.chance(40) ? 0 : random_.chance(70) ? 4 : 30;
  }

  Problem build(std::size_t maxOps) {
    while (ops_.size() < maxOps) {
      addChain(maxOps);
      if (random_.chance(25)) break;
    }
    return Problem(tensors_, ops_, hardware_);
  }

 private:
  // Seen with a shared RHS; a shared LHS turns everything over.
  Tensor shape(std::int64_t width, std::int64_t height) const {
    return right_ ? Tensor{width, height} : Tensor{height, width};
  }

  TensorId newTensor(Tensor shape) {
    tensors_.push_back(shape);
    return TensorId::fromIndex(tensors_.size() - 1);
  }

  void addChain(std::size_t maxOps) {
    TensorId at = newTensor(shape(lengths_[0], along_));
    std::size_t level = 0;
    if (random_.chance(15)) at = addPointwise(at);
    while (ops_.size() < maxOps && level < shared_.size()) {
      const TensorId other = shared_[level++];
      at = addOp(OpType::kMatMul, right_ ? std::vector{at, other} : std::vector{other, at},
                 shape(lengths_[level], along_));
      if (ops_.size() < maxOps && random_.chance(15)) at = addPointwise(at);
      if (random_.chance(30)) return;
    }
    if (ops_.size() >= maxOps || !random_.chance(50)) return;
    const std::int64_t last = random_.between(1, 4);
    const TensorId operand = newTensor(shape(last, lengths_[level]));
    addOp(OpType::kMatMul, right_ ? std::vector{at, operand} : std::vector{operand, at},
          shape(last, along_));
  }

  TensorId addPointwise(TensorId from) {
    return addOp(OpType::kPointwise, {from}, tensors_[from.index()]);
  }

  TensorId addOp(OpType type, std::vector<TensorId> inputs, Tensor shape) {
    const auto cost = static_cast<double>(random_.between(0, maxCost_));
    const TensorId output = newTensor(shape);
    ops_.push_back({type, cost, std::move(inputs), output});
    return output;
  }

  Random& random_;
  bool right_;
  std::int64_t along_ = 1;  // what the chains' tensors have in common
  std::vector<std::int64_t> lengths_;
  std::vector<TensorId> shared_;
  std::vector<Tensor> tensors_;
  std::vector<Op> ops_;
  Hardware hardware_;
  std::int64_t maxCost_ = 4;
};

}  // namespace

Problem randomSharedOperandProblem(Random& random, std::size_t maxOps) {
  return ChainMaker(random).build(maxOps);
}

Problem randomBoundProblem(Random& random, std::size_t maxOps) {
  return Maker(random).build(maxOps);
}

}  // namespace tilebeam::test
