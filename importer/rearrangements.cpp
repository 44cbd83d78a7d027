#include "importer/rearrangements.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace tilebeam::importer {
namespace {

// The output is the input's tensors in this layout; or a copy, if there is none.
void relabel(const Node& node, const std::optional<Layout>& layout, ValueTable& values) {
  const std::string& input = node.inputs[0];
  const std::string& output = node.outputs[0];
  // Of a source, the output is one too: another way to look at what is in slow memory.
  if (values.isSource(input)) return;
  if (!layout) return values.defineCopy(node, output);
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

}  // namespace

void lowerRename(const Node& node, ValueTable& values) {
  const bool source = values.isSource(node.inputs[0]);
  relabel(node, source ? Layout{} : values.computed(node.inputs[0]).layout, values);
}

void lowerReshape(const Node& node, ValueTable& values) {
  if (values.isSource(node.inputs[0])) return;
  const Value& value = values.computed(node.inputs[0]);
  relabel(node, reshaped(value.layout, value.shape, values.model().shape(node.outputs[0])), values);
}

void lowerTranspose(const Node& node, ValueTable& values) {
  if (values.isSource(node.inputs[0])) return;
  const Value& value = values.computed(node.inputs[0]);
  relabel(node, transposed(value.layout, value.shape, permutation(node, value.shape.size())),
          values);
}

void lowerSplit(const Node& node, ValueTable& values) {
  const std::string& input = node.inputs[0];
  if (values.isSource(input)) return;
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
