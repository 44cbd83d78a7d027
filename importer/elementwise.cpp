#include "importer/elementwise.h"

#include <algorithm>

#include "tilebeam/errors.h"

namespace tilebeam::importer {
namespace {

// One elementwise node: the layout of its output, and what each part of it takes.
class Elementwise {
 public:
  Elementwise(const Node& node, ValueTable& values)
      : node_(node), values_(values), shape_(values.model().shape(node.outputs[0])) {}

  void lower(std::int64_t blocks) {
    chooseLayout(blocks);
    takes_.resize(static_cast<std::size_t>(layout_.parts));
    for (const std::string& input : node_.inputs) {
      if (!input.empty()) take(input);
    }
    values_.define(node_.outputs[0], result());
  }

 private:
  // That of the first input that was computed in full shape, else of the first statistic, else what
  // is wanted.
  void chooseLayout(std::int64_t blocks) {
    if (blocks > 1) layout_ = {1, blocks};
    matrix_ = matrixOf(shape_, layout_);
    const Value* leader = nullptr;
    for (const std::string& input : node_.inputs) {
      if (input.empty() || values_.isSource(input)) continue;
      const Value& value = values_.computed(input);
      const bool full = !value.statistic && elements(value.shape) == elements(shape_);
      if (!full && (!value.statistic || leader != nullptr)) continue;
      if (leader == nullptr || (full && leader->statistic)) leader = &value;
    }
    if (leader == nullptr) return;
    layout_ = leader->layout;
    matrix_ = values_.draft().shape(leader->parts.front().front());
  }

  void take(const std::string& input) {
    const Dims& dims = values_.model().shape(input);
    if (!values_.isSource(input) && values_.computed(input).statistic) return takeStatistic(input);
    const bool full = partShape(dims, layout_) == partShape(shape_, layout_);
    const bool shared =
        full && sizeAt(dims, layout_.axis) == 1 && layout_.axis > 1 && layout_.parts > 1;
    if (!full) return takeBroadcast(input);
    anyFull_ = true;
    const auto tensors = shared ? values_.get(node_, input, {}, matrix_)
                                : values_.get(node_, input, layout_, matrix_);
    for (std::size_t p = 0; p < takes_.size(); ++p) {
      takes_[p].push_back(tensors[shared ? 0 : p]);
    }
  }

  // Weights that are broadcast and single rows (a bias, a mask) are too small to count. Of other
  // values there must be a tensor of the full shape.
  void takeBroadcast(const std::string& input) {
    const bool oneRow = elements(values_.model().shape(input)) <= matrix_.width;
    if (oneRow || values_.model().constant(input)) return;
    anyFull_ = true;
    const auto tensors = values_.spread(node_, input, layout_, matrix_);
    for (std::size_t p = 0; p < takes_.size(); ++p) takes_[p].push_back(tensors[p]);
  }

  void takeStatistic(const std::string& input) {
    const Value& value = values_.computed(input);
    const bool shared = value.parts.size() == 1;
    if (!shared && value.parts.size() != takes_.size()) {
      throw InputError(node_.title() + ": '" + input +
                       "', a reduction of rows, is divided otherwise");
    }
    for (std::size_t p = 0; p < takes_.size(); ++p) {
      const auto& part = value.parts[shared ? 0 : p];
      for (const TensorId t : part) requireMatrix(t, input);
      takes_[p].insert(takes_[p].end(), part.begin(), part.end());
    }
  }

  void requireMatrix(TensorId t, const std::string& input) const {
    if (values_.draft().shape(t) == matrix_) return;
    throw InputError(node_.title() + ": '" + input +
                     "', a reduction of rows, is used with values of another shape");
  }

  // Statistics of statistics stay such; all else is computed.
  Value result() {
    if (takes_.front().empty()) {
      throw InputError(node_.title() + ": all its inputs are broadcast");
    }
    Value value{shape_, layout_, {}, false};
    value.statistic = !anyFull_ && elements(shape_) < matrix_.area() * layout_.parts;
    for (auto& part : takes_) {
      value.parts.push_back(
          value.statistic ? part : std::vector{values_.draft().pointwise(part, originOf(node_))});
    }
    return value;
  }

  const Node& node_;
  ValueTable& values_;
  const Dims& shape_;
  Layout layout_;
  Tensor matrix_;
  std::vector<std::vector<TensorId>> takes_;
  bool anyFull_ = false;
};

// The axes that a reduction takes, counted from the end.
std::vector<std::size_t> reducedAxes(const Node& node, const Model& model) {
  const auto rank = static_cast<std::int64_t>(model.shape(node.inputs[0]).size());
  std::vector<std::int64_t> axes;
  if (const auto given = node.integers.find("axes"); given != node.integers.end()) {
    axes = given->second;
  } else if (node.inputs.size() > 1 && model.integers.contains(node.inputs[1])) {
    axes = model.integers.at(node.inputs[1]);
  } else {
    for (std::int64_t i = 0; i < rank; ++i) axes.push_back(i);
  }
  std::vector<std::size_t> result;
  for (const std::int64_t axis : axes) {
    const std::int64_t fromEnd = axis < 0 ? -axis : rank - axis;
    if (sizeAt(model.shape(node.inputs[0]), static_cast<std::size_t>(fromEnd)) > 1) {
      result.push_back(static_cast<std::size_t>(fromEnd));
    }
  }
  return result;
}

void defineStatistic(const Node& node, ValueTable& values) {
  const std::string& input = node.inputs[0];
  const Dims& in = values.model().shape(input);
  const Dims& out = values.model().shape(node.outputs[0]);
  Layout layout;
  if (!values.isSource(input) && values.computed(input).layout.axis > 1) {
    layout = values.computed(input).layout;
  }
  Value value{out, layout, {}, true};
  const bool known = !values.isSource(input) && values.computed(input).statistic;
  if (known) throw InputError(node.title() + ": reduces a reduction");
  for (const TensorId t : values.get(node, input, layout)) value.parts.push_back({t});
  if (!layout.whole() && out.size() < in.size()) --value.layout.axis;
  values.define(node.outputs[0], std::move(value));
}

// The mean of the rows is a row of 1/n times the matrix.
void defineRowOfSums(const Node& node, ValueTable& values) {
  const std::string& input = node.inputs[0];
  const Tensor matrix = matrixOf(values.model().shape(input), {});
  const TensorId weights = values.draft().tensor({matrix.height, 1});
  const TensorId sums =
      values.draft().matMul(weights, values.get(node, input, {})[0], originOf(node));
  values.define(node.outputs[0], {values.model().shape(node.outputs[0]), {}, {{sums}}, false});
}

}  // namespace

Origin originOf(const Node& node) { return originOf(node, node.outputs[0]); }

void lowerElementwise(const Node& node, std::int64_t blocks, ValueTable& values) {
  Elementwise(node, values).lower(blocks);
}

void lowerRowwise(const Node& node, ValueTable& values) {
  const std::string& input = node.inputs[0];
  const Dims& shape = values.model().shape(input);
  const auto rank = static_cast<std::int64_t>(shape.size());
  // Before opset 13, Softmax takes all axes from 1 on if nothing is said.
  const bool old = values.model().opset < 13 && node.type.ends_with("Softmax");
  const std::int64_t axis = node.integer("axis", old ? 1 : -1);
  const std::int64_t fromEnd = axis < 0 ? -axis : rank - axis;
  if (fromEnd != 1) {
    throw InputError(node.title() + ": works along axis " + std::to_string(axis) +
                     "; only the last one is supported");
  }
  Layout layout;
  if (!values.isSource(input) && values.computed(input).layout.axis > 1) {
    layout = values.computed(input).layout;
  }
  Value value{shape, layout, {}, false};
  for (const TensorId t : values.get(node, input, layout)) {
    value.parts.push_back({values.draft().pointwise({t}, originOf(node))});
  }
  values.define(node.outputs[0], std::move(value));
}

void lowerReduction(const Node& node, ValueTable& values) {
  const std::vector<std::size_t> axes = reducedAxes(node, values.model());
  const Dims& shape = values.model().shape(node.inputs[0]);
  if (axes == std::vector<std::size_t>{1}) return defineStatistic(node, values);
  const bool rows =
      axes == std::vector<std::size_t>{2} && matrixOf(shape, {}).height == sizeAt(shape, 2);
  const bool sums = node.type == "ReduceMean" || node.type == "ReduceSum";
  if (rows && sums) return defineRowOfSums(node, values);
  throw InputError(node.title() + ": reduces other axes than the last one of " + text(shape));
}

}  // namespace tilebeam::importer
