// The problem in the making, and where its ops come from.
#pragma once

#include <string>
#include <vector>

#include "importer/hardware_file.h"
#include "importer/model.h"
#include "tilebeam/problem.h"

namespace tilebeam::importer {

// The node that an op was made for.
struct Origin {
  std::string node;  // its name, or that of its output
  std::string type;  // "MatMul", "Softmax", ...
};

// `name` stands for a node that has none.
inline Origin originOf(const Node& node, const std::string& name) {
  return {node.name.empty() ? name : node.name, node.type};
}

class ProblemDraft {
 public:
  explicit ProblemDraft(const HardwareDescription& hardware) : hardware_(hardware) {}

  TensorId tensor(const Tensor& shape);
  const Tensor& shape(TensorId t) const { return tensors_[t.index()]; }

  TensorId matMul(TensorId lhs, TensorId rhs, const Origin& origin);
  // All inputs have the output's shape; one that stands there twice is taken once.
  TensorId pointwise(std::vector<TensorId> inputs, const Origin& origin);

  // The same, but they move elements and compute nothing: their base cost is 0.
  TensorId movingMatMul(TensorId lhs, TensorId rhs, const Origin& origin);
  TensorId movingPointwise(std::vector<TensorId> inputs, const Origin& origin);

  std::size_t opCount() const { return ops_.size(); }
  const std::vector<Origin>& origins() const { return origins_; }

  // Leaves out tensors that no op touches. Throws InputError if there is no op.
  Problem build() const;

 private:
  TensorId append(Op op, const Tensor& shape, const Origin& origin);

  HardwareDescription hardware_;
  std::vector<Tensor> tensors_;
  std::vector<Op> ops_;
  std::vector<Origin> origins_;
};

}  // namespace tilebeam::importer
