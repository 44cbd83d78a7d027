#include "importer/products.h"

#include <algorithm>

#include "importer/elementwise.h"
#include "tilebeam/errors.h"

namespace tilebeam::importer {
namespace {

// The layout in which a product takes its left side: as it is, if it can be.
Layout leftLayout(const std::string& left, const ValueTable& values) {
  if (values.isSource(left) || values.computed(left).statistic) return {};
  return values.computed(left).layout;
}

// Right side: one matrix. The left side's rows are all that there are, whatever its axes.
class PlainProduct {
 public:
  PlainProduct(const Node& node, ValueTable& values) : node_(node), values_(values) {}

  Value lower(std::int64_t blocks) {
    const Dims& shape = values_.model().shape(node_.outputs[0]);
    const Layout left = leftLayout(node_.inputs[0], values_);
    const bool computed = !values_.isSource(node_.inputs[1]);
    if (left.axis > 1) return byParts(shape, left);
    if (computed) return byParts(shape, {});
    const Layout layout = blocks > 1 ? Layout{1, blocks} : Layout{};
    Value value{shape, layout, {}, false};
    const auto lhs = values_.get(node_, node_.inputs[0], left);
    for (std::int64_t column = 0; column < layout.parts; ++column) {
      value.parts.push_back({blockOf(lhs, column, layout.parts)});
    }
    return value;
  }

 private:
  // Each part of the left side by the same right side.
  Value byParts(const Dims& shape, const Layout& layout) {
    Value value{shape, layout, {}, false};
    const TensorId rhs = values_.get(node_, node_.inputs[1], {})[0];
    for (const TensorId lhs : values_.get(node_, node_.inputs[0], layout)) {
      value.parts.push_back({values_.draft().matMul(lhs, rhs, originOf(node_))});
    }
    return value;
  }

  // One block of columns: a sum over the left side's blocks, which are one if it is whole.
  TensorId blockOf(const std::vector<TensorId>& lhs, std::int64_t column, std::int64_t columns) {
    const Dims& weights = values_.model().shape(node_.inputs[1]);
    const auto rows = static_cast<std::int64_t>(lhs.size());
    const Tensor matrix{sizeAt(weights, 1) / columns, sizeAt(weights, 2) / rows};
    const bool whole = rows == 1 && columns == 1;
    std::vector<TensorId> terms;
    for (std::int64_t row = 0; row < rows; ++row) {
      const TensorId rhs = whole ? values_.get(node_, node_.inputs[1], {})[0]
                                 : values_.block(node_.inputs[1], matrix, row, column);
      terms.push_back(
          values_.draft().matMul(lhs[static_cast<std::size_t>(row)], rhs, originOf(node_)));
    }
    return terms.size() == 1 ? terms[0] : values_.draft().pointwise(terms, originOf(node_));
  }

  const Node& node_;
  ValueTable& values_;
};

// The only axis before the last two that is longer than 1; 0 if there are several.
std::size_t batchAxis(const Dims& shape) {
  std::size_t axis = 0;
  for (std::size_t i = 3; i <= shape.size(); ++i) {
    if (sizeAt(shape, i) == 1) continue;
    if (axis != 0) return 0;
    axis = i;
  }
  return axis;
}

// A product for each index of one axis: the heads of attention.
Value batchedProduct(const Node& node, ValueTable& values) {
  const Dims& shape = values.model().shape(node.outputs[0]);
  const std::size_t axis = batchAxis(shape);
  if (axis == 0) {
    throw InputError(node.title() + ": products of a batch of " + text(shape) +
                     " along several axes; import the model with a batch of 1");
  }
  const Layout layout{axis, sizeAt(shape, axis)};
  requireFewParts(node, layout.parts);
  const auto side = [&](const std::string& input) {
    const bool shared = sizeAt(values.model().shape(input), axis) == 1;
    auto tensors = values.get(node, input, shared ? Layout{} : layout);
    tensors.resize(static_cast<std::size_t>(layout.parts), tensors.front());
    return tensors;
  };
  const auto lhs = side(node.inputs[0]);
  const auto rhs = side(node.inputs[1]);
  Value value{shape, layout, {}, false};
  for (std::size_t p = 0; p < lhs.size(); ++p) {
    value.parts.push_back({values.draft().matMul(lhs[p], rhs[p], originOf(node))});
  }
  return value;
}

// An operand of Gemm, transposed if the node says so. A source can be had either way; what was
// computed is copied.
TensorId gemmOperand(const Node& node, const std::string& input, bool transpose,
                     ValueTable& values) {
  const Tensor matrix = matrixOf(values.model().shape(input), {});
  if (!transpose) return values.get(node, input, {}, matrix)[0];
  return values.transposed(node, input, {matrix.height, matrix.width});
}

}  // namespace

void lowerMatMul(const Node& node, std::int64_t blocks, ValueTable& values) {
  const Dims& left = values.model().shape(node.inputs[0]);
  const Dims& right = values.model().shape(node.inputs[1]);
  if (left.size() < 2 || right.size() < 2) {
    throw InputError(node.title() + ": a vector is no matrix: " + text(left) + " times " +
                     text(right));
  }
  const bool plain = elements(right) == sizeAt(right, 1) * sizeAt(right, 2);
  values.define(node.outputs[0],
                plain ? PlainProduct(node, values).lower(blocks) : batchedProduct(node, values));
}

void lowerGemm(const Node& node, ValueTable& values) {
  ProblemDraft& draft = values.draft();
  const TensorId lhs = gemmOperand(node, node.inputs[0], node.integer("transA", 0) != 0, values);
  const TensorId rhs = gemmOperand(node, node.inputs[1], node.integer("transB", 0) != 0, values);
  TensorId result = draft.matMul(lhs, rhs, originOf(node));
  const Dims& shape = values.model().shape(node.outputs[0]);
  if (node.inputs.size() > 2 && !node.inputs[2].empty()) {
    std::vector<TensorId> terms{result};
    const Dims& summand = values.model().shape(node.inputs[2]);
    if (elements(summand) == elements(shape)) {
      terms.push_back(values.get(node, node.inputs[2], {}, draft.shape(result))[0]);
    } else if (!values.model().constant(node.inputs[2])) {
      throw InputError(node.title() + ": its summand is broadcast, and no weight");
    }
    result = draft.pointwise(terms, originOf(node));
  }
  values.define(node.outputs[0], {shape, {}, {{result}}, false});
}

void lowerConv(const Node& node, ValueTable& values) {
  const Model& model = values.model();
  const Dims& weights = model.shape(node.inputs[1]);
  const Dims& shape = model.shape(node.outputs[0]);
  const auto list = [&](const char* attribute, std::int64_t fallback) {
    const auto found = node.integers.find(attribute);
    return found != node.integers.end() ? found->second
                                        : std::vector<std::int64_t>(weights.size() - 2, fallback);
  };
  const auto all = [](const std::vector<std::int64_t>& values_, std::int64_t value) {
    return std::all_of(values_.begin(), values_.end(), [&](auto v) { return v == value; });
  };
  const bool patches = list("strides", 1) == Dims(weights.begin() + 2, weights.end()) &&
                       all(list("pads", 0), 0) && all(list("dilations", 1), 1) &&
                       node.integer("group", 1) == 1 && shape[0] == 1 &&
                       !node.texts.contains("auto_pad");
  if (!patches) {
    throw InputError(
        node.title() +
        ": only convolutions of a batch of 1 whose patches do not overlap are supported");
  }
  ProblemDraft& draft = values.draft();
  const std::int64_t depth = product(weights, 1, weights.size());
  const Tensor kernel{depth, weights[0]};
  const Tensor matrix{product(shape, 2, shape.size()), depth};
  const TensorId lhs = values.get(node, node.inputs[1], {}, kernel)[0];
  TensorId result =
      draft.matMul(lhs, values.get(node, node.inputs[0], {}, matrix)[0], originOf(node));
  if (node.inputs.size() > 2) result = draft.pointwise({result}, originOf(node));
  values.define(node.outputs[0], {shape, {}, {{result}}, false});
}

}  // namespace tilebeam::importer
