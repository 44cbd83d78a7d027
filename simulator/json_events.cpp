#include "simulator/json_events.h"

#include <algorithm>
#include <cmath>

namespace tilebeam::json {
namespace {

// Our own lists are nested three deep; the rest is for the annotations of others.
constexpr int kMaxDepth = 64;
// Every integer up to here is a double of its own, so nothing was lost on the way to one.
constexpr double kMaxExactReal = 9007199254740992.0;  // 2^53

const char* singular(const Column& column) {
  switch (column.cell) {
    case Cell::kInteger:
      return "an integer";
    case Cell::kReal:
      return "a number";
    case Cell::kName:
      return "a name";
  }
  return "";
}

std::string plural(const Column& column) {
  const std::string text = singular(column);
  return text.substr(text.find(' ') + 1) + "s";
}

std::string expected(const Column& column, int listDepth) {
  std::string text;
  if (listDepth == column.rank) {
    text = singular(column);
  } else if (listDepth + 1 == column.rank) {
    text = "a list of " + plural(column);
  } else {
    text = "a list of lists of " + plural(column);
  }
  return column.nullable && listDepth == 1 ? text + " or null" : text;
}

std::string clipped(std::string_view text) {
  constexpr std::size_t kMaxLength = 40;
  if (text.size() <= kMaxLength) return std::string(text);
  // Not in the middle of a UTF-8 sequence.
  std::size_t length = kMaxLength;
  while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) --length;
  return std::string(text.substr(0, length)) + "...";
}

std::string quoted(std::string_view text) {
  std::string result = "\"" + clipped(text) + "\"";
  const auto isControl = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  std::replace_if(result.begin(), result.end(), isControl, '?');
  return result;
}

std::string listOfNames(const Column& column) {
  std::string text;
  for (const std::string_view name : column.names) {
    text += (text.empty() ? "" : " or ") + quoted(name);
  }
  return text;
}

}  // namespace

std::string ColumnEvents::here() const {
  if (column_ == nullptr) return depth_ == 0 ? "top level" : "within a skipped key";
  if (listDepth() == 0) return column_->key;
  const std::size_t outer = column_->size();
  if (listDepth() == 1) return place(*column_, outer);
  const std::size_t begin = column_->ends.empty() ? 0 : column_->ends.back();
  return place(*column_, outer, column_->integers.size() - begin);
}

void ColumnEvents::refuseType(const std::string& found) const {
  refuse(here(), "must be " + expected(*column_, listDepth()) + ", not " + found);
}

bool ColumnEvents::skipping(const char* found) const {
  if (depth_ == 0) refuse(here(), std::string("must be an object, not ") + found);
  return column_ == nullptr;
}

void ColumnEvents::checkCell(const char* found, bool fits) const {
  if (!fits || listDepth() != column_->rank) refuseType(found);
}

void ColumnEvents::store(std::int64_t value) {
  column_->integers.push_back(value);
  if (column_->nullable && column_->rank == 1) column_->nulls.push_back(false);
}

void ColumnEvents::store(double value) {
  column_->reals.push_back(value);
  if (column_->nullable && column_->rank == 1) column_->nulls.push_back(false);
}

void ColumnEvents::onNull() {
  if (skipping("null")) return;
  if (!column_->nullable || listDepth() != 1) refuseType("null");
  column_->nulls.push_back(true);
  if (column_->rank == 2) {
    column_->ends.push_back(column_->integers.size());
  } else if (column_->cell == Cell::kReal) {
    column_->reals.push_back(0);
  } else {
    column_->integers.push_back(0);
  }
}

void ColumnEvents::onBoolean() {
  if (skipping("a boolean")) return;
  refuseType("a boolean");
}

void ColumnEvents::onInteger(std::int64_t value) {
  if (skipping("a number")) return;
  checkCell("a number", column_->cell != Cell::kName);
  column_->cell == Cell::kReal ? store(static_cast<double>(value)) : store(value);
}

void ColumnEvents::onReal(double value, std::string_view token) {
  if (skipping("a number")) return;
  checkCell("a number", column_->cell != Cell::kName);
  if (column_->cell == Cell::kReal) return store(value);
  if (std::trunc(value) != value) refuse(here(), "must be an integer, not " + clipped(token));
  if (std::abs(value) > kMaxExactReal) {
    refuse(here(), "must be an integer of 64 bits, not " + clipped(token));
  }
  store(static_cast<std::int64_t>(value));
}

void ColumnEvents::onText(std::string_view value) {
  if (skipping("a string")) return;
  checkCell("a string", column_->cell == Cell::kName);
  const auto found = std::find(column_->names.begin(), column_->names.end(), value);
  if (found == column_->names.end()) {
    refuse(here(), "must be " + listOfNames(*column_) + ", not " + quoted(value));
  }
  store(static_cast<std::int64_t>(found - column_->names.begin()));
}

void ColumnEvents::enter() {
  if (++depth_ <= kMaxDepth) return;
  refuse(here(), "lists and objects are nested more than " + std::to_string(kMaxDepth) + " deep");
}

void ColumnEvents::onObjectBegin() {
  if (column_ != nullptr) refuseType("an object");
  enter();
  keys_.emplace_back();
}

void ColumnEvents::onObjectEnd() {
  --depth_;
  keys_.pop_back();
  if (depth_ <= 1) column_ = nullptr;
}

void ColumnEvents::onListBegin() {
  if (!skipping("a list") && listDepth() >= column_->rank) refuseType("a list");
  enter();
}

void ColumnEvents::onListEnd() {
  if (column_ != nullptr && listDepth() == 2) {
    column_->ends.push_back(column_->integers.size());
    if (column_->nullable) column_->nulls.push_back(false);
  }
  --depth_;
}

void ColumnEvents::onKey(const std::string& key) {
  if (depth_ == 1) column_ = nullptr;
  if (!keys_.back().insert(key).second) refuse(quoted(key), "the key stands twice");
  if (depth_ > 1) return;
  const auto found = std::find_if(columns_.begin(), columns_.end(),
                                  [&](const Column& column) { return key == column.key; });
  if (found == columns_.end()) return;
  column_ = &*found;
  column_->present = true;
}

void ColumnEvents::finish() const {
  for (const Column& column : columns_) {
    if (column.required && !column.present) refuse(column.key, "the key is missing");
  }
}

}  // namespace tilebeam::json
