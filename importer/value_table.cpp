#include "importer/value_table.h"

#include <algorithm>

#include "tilebeam/errors.h"

namespace tilebeam::importer {

std::vector<TensorId> ValueTable::get(const Node& node, const std::string& value,
                                      const Layout& layout, const Tensor& matrix) {
  if (isSource(value)) return fresh(value, layout, matrix);
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
  if (isNew) place->second = draft_.tensor(matrix);
  return place->second;
}

TensorId ValueTable::transposed(const Node& node, const std::string& value, const Tensor& matrix) {
  return copy(node, value, "transposed", {}, matrix)[0];
}

std::vector<TensorId> ValueTable::spread(const Node& node, const std::string& value,
                                         const Layout& layout, const Tensor& matrix) {
  return copy(node, value, "broadcast", layout, matrix);
}

void ValueTable::defineCopy(const Node& node, const std::string& output) {
  copies_.push_back(node.title() + ": makes '" + output + "' of its inputs' elements");
}

// Noted once, and not at all for what is in slow memory from the start, in whatever layout.
std::vector<TensorId> ValueTable::copy(const Node& node, const std::string& value,
                                       const std::string& how, const Layout& layout,
                                       const Tensor& matrix) {
  const std::string name = value + " " + how;
  const bool known = fresh_.contains({name, layout, matrix.height, matrix.width});
  if (!known && !isSource(value))
    copies_.push_back(node.title() + ": takes '" + value + "' " + how);
  return fresh(name, layout, matrix);
}

std::vector<TensorId> ValueTable::fresh(const std::string& value, const Layout& layout,
                                        const Tensor& matrix) {
  std::vector<TensorId>& tensors = fresh_[{value, layout, matrix.height, matrix.width}];
  while (tensors.size() < static_cast<std::size_t>(layout.parts)) {
    tensors.push_back(draft_.tensor(matrix));
  }
  return tensors;
}

}  // namespace tilebeam::importer
