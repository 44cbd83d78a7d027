#include "importer/layout.h"

#include <algorithm>

#include "tilebeam/errors.h"

namespace tilebeam::importer {
namespace {

std::size_t indexOf(const Dims& shape, std::size_t axis) { return shape.size() - axis; }

}  // namespace

void requireFewParts(const Node& node, std::int64_t parts) {
  if (parts <= kMostParts) return;
  throw InputError(node.title() + ": comes in " + std::to_string(parts) +
                   " parts, an op each; at most " + std::to_string(kMostParts) + " are supported");
}

std::int64_t product(const Dims& dims, std::size_t first, std::size_t last) {
  std::int64_t result = 1;
  for (std::size_t i = first; i < last; ++i) {
    if (__builtin_mul_overflow(result, dims[i], &result)) return INT64_MAX;
  }
  return result;
}

std::int64_t elements(const Dims& dims) { return product(dims, 0, dims.size()); }

std::int64_t sizeAt(const Dims& shape, std::size_t axis) {
  return axis >= 1 && axis <= shape.size() ? shape[indexOf(shape, axis)] : 1;
}

Tensor matrixOf(const Dims& shape, const Layout& layout) {
  const std::int64_t columns = sizeAt(shape, 1);
  const std::int64_t rows = elements(shape) / columns;
  if (layout.whole()) return {columns, rows};
  if (layout.axis == 1) return {columns / layout.parts, rows};
  return {columns, rows / layout.parts};
}

Dims partShape(const Dims& shape, const Layout& layout) {
  Dims result = shape;
  if (layout.axis >= 1 && layout.axis <= shape.size()) {
    std::int64_t& size = result[indexOf(shape, layout.axis)];
    // A broadcast axis stays as it is.
    if (size == layout.parts || layout.axis == 1)
      size = std::max<std::int64_t>(1, size / layout.parts);
  }
  const auto first = std::find_if(result.begin(), result.end(), [](auto n) { return n != 1; });
  result.erase(result.begin(), first);
  return result;
}

std::optional<Layout> reshaped(const Layout& layout, const Dims& from, const Dims& to) {
  if (layout.whole()) return layout;
  if (layout.axis == 1) {
    if (sizeAt(to, 1) == sizeAt(from, 1)) return layout;
    const bool blocksBecomeAxis =
        sizeAt(to, 2) == layout.parts && sizeAt(to, 1) * layout.parts == sizeAt(from, 1);
    return blocksBecomeAxis ? std::optional(Layout{2, layout.parts}) : std::nullopt;
  }
  const std::int64_t behind = product(from, indexOf(from, layout.axis) + 1, from.size());
  for (std::size_t axis = 2; axis <= to.size(); ++axis) {
    if (to[indexOf(to, axis)] == layout.parts &&
        product(to, indexOf(to, axis) + 1, to.size()) == behind) {
      return Layout{axis, layout.parts};
    }
  }
  const bool axisBecomesBlocks =
      behind == sizeAt(from, 1) && sizeAt(to, 1) == behind * layout.parts;
  return axisBecomesBlocks ? std::optional(Layout{1, layout.parts}) : std::nullopt;
}

std::optional<Layout> transposed(const Layout& layout, const Dims& from,
                                 const std::vector<std::int64_t>& permutation) {
  if (layout.axis == 1) return std::nullopt;
  Layout result = layout;
  std::int64_t last = -1;
  for (std::size_t i = 0; i < permutation.size(); ++i) {
    const auto source = static_cast<std::size_t>(permutation[i]);
    if (!layout.whole() && source == indexOf(from, layout.axis)) {
      result.axis = permutation.size() - i;
    } else if (from[source] != 1) {
      if (permutation[i] < last) return std::nullopt;
      last = permutation[i];
    }
  }
  if (!layout.whole() && result.axis == 1) return std::nullopt;
  return result;
}

std::string text(const Dims& dims) {
  std::string result;
  for (const std::int64_t size : dims) {
    result += (result.empty() ? "" : "x") + std::to_string(size);
  }
  return result.empty() ? "scalar" : result;
}

}  // namespace tilebeam::importer
