// Copies: the elements of some tensors, put in order anew as another tensor of whatever shape.
//
// The problem format has no op for that. But a copy must be a product of what it was made of, or a
// schedule could read it before anything was written. So a copy is a few ops that load and store
// what a copy does, and whose arithmetic costs nothing: all of a source is summed up in a scalar,
// and the scalar spread over the copy. Where the shapes agree, it is a Pointwise.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "importer/problem_draft.h"

namespace tilebeam::importer {

class Movement {
 public:
  explicit Movement(ProblemDraft& draft) : draft_(draft) {}

  // A new tensor made of all of `sources`, of which there is at least one.
  TensorId copy(std::vector<TensorId> sources, const Tensor& shape, const Origin& origin);

 private:
  TensorId scalarOf(TensorId source, const Origin& origin);
  TensorId joined(const std::vector<TensorId>& sources, const Origin& origin);
  TensorId spread(TensorId scalar, const Tensor& shape, const Origin& origin);
  TensorId ones(std::int64_t width, std::int64_t height);

  ProblemDraft& draft_;
  std::map<TensorId, TensorId> scalars_;
  std::map<std::vector<TensorId>, TensorId> joined_;
  std::map<std::pair<std::int64_t, std::int64_t>, TensorId> ones_;
};

}  // namespace tilebeam::importer
