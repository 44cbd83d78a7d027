#include "support/bound_problems.h"

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

}  // namespace

Problem randomBoundProblem(Random& random, std::size_t maxOps) {
  return Maker(random).build(maxOps);
}

}  // namespace tilebeam::test
