// How a model's value, which may have any number of axes, lies in the problem's two-dimensional
// tensors.
//
// A value is whole, one tensor, or divided along one axis into parts, a tensor each: the heads of
// attention. Axes are counted from the end, the last one is 1, since broadcasting aligns shapes
// there. Of a value divided along its last axis each part is a block of columns; along any other
// axis, each part is one index of that axis. All other axes but the last are folded into the rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "importer/model.h"
#include "tilebeam/problem.h"

namespace tilebeam::importer {

struct Layout {
  std::size_t axis = 0;  // 0: whole
  std::int64_t parts = 1;

  bool whole() const { return axis == 0; }
  friend auto operator<=>(const Layout&, const Layout&) = default;
};

struct Value {
  Dims shape;
  Layout layout;
  // Of each part the tensor, or of a row statistic (a mean, a variance) the tensors of which it was
  // taken: what uses a statistic takes those.
  std::vector<std::vector<TensorId>> parts;
  bool statistic = false;
};

// Of heads or blocks; a model that asks for more would be a problem that nothing can hold.
inline constexpr std::int64_t kMostParts = 1'000'000;

// Throws InputError, which names the node, if its output would have more parts.
void requireFewParts(const Node& node, std::int64_t parts);

std::int64_t product(const Dims& dims, std::size_t first, std::size_t last);
std::int64_t elements(const Dims& dims);

// The size of an axis, counted from the end; 1 for axes that the shape does not have.
std::int64_t sizeAt(const Dims& shape, std::size_t axis);

// Rows and columns of each part.
Tensor matrixOf(const Dims& shape, const Layout& layout);

// The sizes of all axes but the divided one, without leading ones: what must be equal for an
// elementwise op.
Dims partShape(const Dims& shape, const Layout& layout);

// The layout of the same tensors under another shape with as many elements, if there is one. A
// whole value always stays whole.
std::optional<Layout> reshaped(const Layout& layout, const Dims& from, const Dims& to);

// The same for an exchange of axes that leaves the elements of each part in order.
std::optional<Layout> transposed(const Layout& layout, const Dims& from,
                                 const std::vector<std::int64_t>& permutation);

// "1x128x768"
std::string text(const Dims& dims);

}  // namespace tilebeam::importer
