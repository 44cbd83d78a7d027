#include "importer/rearrangements.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace tilebeam::importer {
namespace {

// The output is the input's tensors in this layout. If there is none, it is a copy, whose parts
// come from the input's in the layout `moved`, or from anywhere. Of a source, the output is one
// too: another way to look at what is in slow memory.
void relabel(const Node& node, const std::optional<Layout>& layout,
             const std::optional<Layout>& moved, ValueTable& values) {
  const std::string& input = node.inputs[0];
  const std::string& output = node.outputs[0];
  if (values.isSource(input)) return values.defineSource(output, input, moved);
  if (!layout) return values.defineCopy(node, output, moved);
  Value value = values.computed(input);
  value.shape = values.model().shape(output);
  value.layout = *layout;
  values.define(output, std::move(value));
}

std::vector<std::int64_t> permutation(const Node& node, std::size_t rank) {
  if (const auto given = node.integers.find("perm"); given != node.integers.end()) {
    return given->second;
  }
  std::vector<std::int64_t> reversed(rank);
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  return reversed;
}

// Where an exchange of axes takes the one that a value is divided along.
std::optional<Layout> follow(const Layout& layout, const std::vector<std::int64_t>& permutation) {
  if (layout.whole()) return layout;
  if (layout.axis == 1) return std::nullopt;
  const auto source = static_cast<std::int64_t>(permutation.size() - layout.axis);
  const auto place = std::find(permutation.begin(), permutation.end(), source);
  if (place == permutation.end()) return std::nullopt;
  return Layout{static_cast<std::size_t>(permutation.end() - place), layout.parts};
}

}  // namespace

void lowerRename(const Node& node, ValueTable& values) {
  const Layout layout = values.knownLayout(node.inputs[0]);
  relabel(node, layout, layout, values);
}

void lowerReshape(const Node& node, ValueTable& values) {
  const Model& model = values.model();
  const auto layout = reshaped(values.knownLayout(node.inputs[0]), model.shape(node.inputs[0]),
                               model.shape(node.outputs[0]));
  relabel(node, layout, layout, values);
}

void lowerTranspose(const Node& node, ValueTable& values) {
  const Dims& shape = values.model().shape(node.inputs[0]);
  const Layout layout = values.knownLayout(node.inputs[0]);
  const auto axes = permutation(node, shape.size());
  relabel(node, transposed(layout, shape, axes), follow(layout, axes), values);
}

void lowerSplit(const Node& node, ValueTable& values) {
  const std::string& input = node.inputs[0];
  if (values.isSource(input)) {
    for (const std::string& output : node.outputs) values.defineSource(output, input, std::nullopt);
    return;
  }
  const Value& value = values.computed(input);
  const auto shares = node.outputs.size();
  const auto rank = static_cast<std::int64_t>(value.shape.size());
  const std::int64_t axis = node.integer("axis", 0);
  const auto fromEnd = static_cast<std::size_t>(axis < 0 ? -axis : rank - axis);
  const bool equal = std::all_of(node.outputs.begin(), node.outputs.end(), [&](const auto& output) {
    return values.model().shape(output) == values.model().shape(node.outputs[0]);
  });
  if (value.statistic || !equal || value.layout.axis != fromEnd ||
      value.parts.size() % shares != 0) {
    for (const std::string& output : node.outputs) values.defineCopy(node, output);
    return;
  }
  const std::size_t share = value.parts.size() / shares;
  for (std::size_t i = 0; i < shares; ++i) {
    Value part{values.model().shape(node.outputs[i]), {}, {}, false};
    if (share > 1) part.layout = {fromEnd, static_cast<std::int64_t>(share)};
    const auto first = value.parts.begin() + static_cast<std::ptrdiff_t>(i * share);
    part.parts.assign(first, first + static_cast<std::ptrdiff_t>(share));
    values.define(node.outputs[i], std::move(part));
  }
}

}  // namespace tilebeam::importer
