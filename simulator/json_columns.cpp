#include "simulator/json_columns.h"

#include "tilebeam/errors.h"

namespace tilebeam::json {

std::size_t Column::size() const {
  if (rank == 2) return ends.size();
  return cell == Cell::kReal ? reals.size() : integers.size();
}

std::span<const std::int64_t> Column::entry(std::size_t index) const {
  const std::size_t begin = index == 0 ? 0 : ends[index - 1];
  return std::span(integers).subspan(begin, ends[index] - begin);
}

void requireEqualLengths(const Column& reference, const Column& column) {
  if (reference.size() == column.size()) return;
  refuse(column.key, "must have as many entries as " + std::string(reference.key) + ", " +
                         std::to_string(reference.size()) + ", not " +
                         std::to_string(column.size()));
}

void refuse(std::string_view place, std::string_view rule) {
  throw InputError(std::string(place) + ": " + std::string(rule));
}

std::string place(const Column& column, std::size_t index) {
  return std::string(column.key) + "[" + std::to_string(index) + "]";
}

std::string place(const Column& column, std::size_t outer, std::size_t inner) {
  return place(column, outer) + "[" + std::to_string(inner) + "]";
}

}  // namespace tilebeam::json
