#include "importer/value_table.h"

#include <algorithm>

#include "tilebeam/errors.h"

namespace tilebeam::importer {

std::vector<TensorId> ValueTable::get(const Node& node, const std::string& value,
                                      const Layout& layout, const Tensor& matrix) {
  if (isSource(value)) return fresh(value, layout, matrix, ancestryOf(value));
  const Value& known = computed(value);
  if (known.statistic) {
    throw InputError(node.title() + ": takes '" + value +
                     "', a reduction of rows, other than elementwise");
  }
  const bool fits = known.layout == layout &&
                    std::all_of(known.parts.begin(), known.parts.end(), [&](const auto& part) {
                      return draft_.shape(part.front()) == matrix;
                    });
  if (!fits) return copy(node, value, "in another layout", layout, matrix);
  std::vector<TensorId> tensors;
  for (const auto& part : known.parts) tensors.push_back(part.front());
  return tensors;
}

std::vector<TensorId> ValueTable::get(const Node& node, const std::string& value,
                                      const Layout& layout) {
  return get(node, value, layout, matrixOf(model_.shape(value), layout));
}

TensorId ValueTable::block(const std::string& value, const Tensor& matrix, std::int64_t row,
                           std::int64_t column) {
  const Key key{value, {}, matrix.height, matrix.width};
  const auto [place, isNew] = blocks_.try_emplace({key, row, column});
  if (isNew) place->second = made(ancestryOf(value), {}, 0, matrix);
  return place->second;
}

TensorId ValueTable::transposed(const Node& node, const std::string& value, const Tensor& matrix) {
  return copy(node, value, "transposed", {}, matrix)[0];
}

std::vector<TensorId> ValueTable::spread(const Node& node, const std::string& value,
                                         const Layout& layout, const Tensor& matrix) {
  return copy(node, value, "broadcast", layout, matrix);
}

void ValueTable::defineCopy(const Node& node, const std::string& output,
                            const std::optional<Layout>& layout) {
  copies_.push_back(node.title() + ": rearranges its inputs to '" + output + "'");
  Ancestry ancestry;
  if (layout) {
    ancestry = ancestryOf(node.inputs[0]);
    ancestry.layout = *layout;
  } else {
    ancestry.parts.resize(1);
    for (const std::string& input : node.inputs) {
      if (input.empty()) continue;
      const std::vector<TensorId> all = ancestryOf(input).all();
      ancestry.parts[0].insert(ancestry.parts[0].end(), all.begin(), all.end());
    }
  }
  ancestry.origin = originOf(node, output);
  ancestries_.insert_or_assign(output, std::move(ancestry));
}

void ValueTable::defineSource(const std::string& output, const std::string& input,
                              const std::optional<Layout>& layout) {
  const auto found = ancestries_.find(input);
  if (found == ancestries_.end()) return;
  Ancestry ancestry = found->second;
  if (layout) {
    ancestry.layout = *layout;
  } else {
    ancestry.parts = {ancestry.all()};
    ancestry.layout = {};
  }
  ancestries_.insert_or_assign(output, std::move(ancestry));
}

std::vector<TensorId> ValueTable::Ancestry::all() const {
  std::vector<TensorId> tensors;
  for (const auto& part : parts) tensors.insert(tensors.end(), part.begin(), part.end());
  return tensors;
}

Layout ValueTable::knownLayout(const std::string& value) const { return ancestryOf(value).layout; }

ValueTable::Ancestry ValueTable::ancestryOf(const std::string& value) const {
  if (const auto found = values_.find(value); found != values_.end()) {
    return {found->second.layout, found->second.parts, {}};
  }
  const auto found = ancestries_.find(value);
  return found != ancestries_.end() ? found->second : Ancestry{};
}

// Noted once, and not at all for what is in slow memory from the start, in whatever layout.
std::vector<TensorId> ValueTable::copy(const Node& node, const std::string& value,
                                       const std::string& how, const Layout& layout,
                                       const Tensor& matrix) {
  const std::string name = value + " " + how;
  const bool known = fresh_.contains({name, layout, matrix.height, matrix.width});
  if (!known && !isSource(value))
    copies_.push_back(node.title() + ": takes '" + value + "' " + how);
  Ancestry ancestry = ancestryOf(value);
  ancestry.origin = originOf(node, node.outputs[0]);
  return fresh(name, layout, matrix, ancestry);
}

std::vector<TensorId> ValueTable::fresh(const std::string& name, const Layout& layout,
                                        const Tensor& matrix, const Ancestry& ancestry) {
  std::vector<TensorId>& tensors = fresh_[{name, layout, matrix.height, matrix.width}];
  while (tensors.size() < static_cast<std::size_t>(layout.parts)) {
    tensors.push_back(made(ancestry, layout, tensors.size(), matrix));
  }
  return tensors;
}

// Part by part where both are divided alike; else each part of all that there is.
TensorId ValueTable::made(const Ancestry& ancestry, const Layout& layout, std::size_t part,
                          const Tensor& matrix) {
  std::vector<TensorId> sources;
  for (std::size_t p = 0; p < ancestry.parts.size(); ++p) {
    if (ancestry.layout == layout && !layout.whole() && p != part) continue;
    sources.insert(sources.end(), ancestry.parts[p].begin(), ancestry.parts[p].end());
  }
  if (sources.empty()) return draft_.tensor(matrix);
  return movement_.copy(std::move(sources), matrix, ancestry.origin);
}

}  // namespace tilebeam::importer
