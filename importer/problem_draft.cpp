#include "importer/problem_draft.h"

#include <algorithm>

#include "tilebeam/errors.h"

namespace tilebeam::importer {

TensorId ProblemDraft::tensor(const Tensor& shape) {
  constexpr std::size_t kMostTensors = 10'000'000;
  if (tensors_.size() == kMostTensors) {
    throw InputError("comes to more than " + std::to_string(kMostTensors) + " tensors");
  }
  tensors_.push_back(shape);
  return TensorId::fromIndex(tensors_.size() - 1);
}

TensorId ProblemDraft::matMul(TensorId lhs, TensorId rhs, const Origin& origin) {
  const Tensor result{shape(rhs).width, shape(lhs).height};
  return append({OpType::kMatMul, hardware_.matMulCost, {lhs, rhs}, {}}, result, origin);
}

TensorId ProblemDraft::pointwise(std::vector<TensorId> inputs, const Origin& origin) {
  std::sort(inputs.begin(), inputs.end());
  inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
  const Tensor result = shape(inputs.front());
  return append({OpType::kPointwise, hardware_.pointwiseCost, std::move(inputs), {}}, result,
                origin);
}

TensorId ProblemDraft::movingMatMul(TensorId lhs, TensorId rhs, const Origin& origin) {
  const TensorId output = matMul(lhs, rhs, origin);
  ops_.back().baseCost = 0;
  return output;
}

TensorId ProblemDraft::movingPointwise(std::vector<TensorId> inputs, const Origin& origin) {
  const TensorId output = pointwise(std::move(inputs), origin);
  ops_.back().baseCost = 0;
  return output;
}

TensorId ProblemDraft::append(Op op, const Tensor& shape, const Origin& origin) {
  op.output = tensor(shape);
  ops_.push_back(std::move(op));
  origins_.push_back(origin);
  return ops_.back().output;
}

Problem ProblemDraft::build() const {
  if (ops_.empty()) throw InputError("nothing in it is computed by MatMul or elementwise ops");
  std::vector<TensorId> renamed(tensors_.size());
  std::vector<Tensor> tensors;
  const auto rename = [&](TensorId t) {
    if (!renamed[t.index()].valid()) {
      tensors.push_back(shape(t));
      renamed[t.index()] = TensorId::fromIndex(tensors.size() - 1);
    }
    return renamed[t.index()];
  };
  std::vector<Op> ops = ops_;
  for (Op& op : ops) {
    for (TensorId& input : op.inputs) input = rename(input);
    op.output = rename(op.output);
  }
  return {std::move(tensors), std::move(ops), hardware_.hardware};
}

}  // namespace tilebeam::importer
