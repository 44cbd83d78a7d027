// The shape that problem and schedule files share: one object of parallel lists. Its known keys are
// read into flat columns, straight from the parser's events, so that a file with a million ops
// needs no tree in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilebeam::json {

enum class Cell : std::uint8_t {
  kInteger,  // 64 bits; 128.0 is one too
  kReal,
  kName  // one of Column::names
};

// What may stand under one key, and what stood there.
struct Column {
  const char* key;
  Cell cell;
  int rank;               // 0: a single value, 1: a list of them, 2: a list of lists
  bool required = true;   // may the key be missing?
  bool nullable = false;  // may an entry of the list be null?
  std::vector<std::string_view> names = {};

  bool present = false;
  std::vector<std::int64_t> integers = {};  // kInteger; kName: indices into names
  std::vector<double> reals = {};           // kReal
  std::vector<bool> nulls = {};             // nullable: one per entry
  std::vector<std::size_t> ends = {};       // rank 2: where each entry's values end

  // Entries of the outer list.
  std::size_t size() const;
  bool isNull(std::size_t entry) const { return nullable && nulls[entry]; }
  // Rank 2: the values of one entry.
  std::span<const std::int64_t> entry(std::size_t index) const;
};

// Fills the columns from `text`, which must hold one object. Throws InputError on any fault of
// syntax, type or range, a key that stands twice, or a required key that is missing. Other keys
// are skipped.
void readColumns(std::string_view text, std::span<Column> columns);

// Throws InputError unless both have equally many entries.
void requireEqualLengths(const Column& reference, const Column& column);

// Throws InputError: "<key>[<indices>]: <rule>".
[[noreturn]] void refuse(std::string_view place, std::string_view rule);

// "key[3][1]"
std::string place(const Column& column, std::size_t index);
std::string place(const Column& column, std::size_t outer, std::size_t inner);

}  // namespace tilebeam::json
