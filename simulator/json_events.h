// Turns a JSON parser's events into columns. Private to json_columns' reader and its file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/json_columns.h"

namespace tilebeam::json {

// The handler's side of nlohmann's SAX interface is in json_reader.cpp; this class knows the rules
// of our files and nothing of the library. Every fault is thrown as InputError from the event that
// shows it, so that nothing behind it is read.
class ColumnEvents {
 public:
  explicit ColumnEvents(std::span<Column> columns) : columns_(columns) {}

  void onNull();
  void onBoolean();
  void onInteger(std::int64_t value);
  void onReal(double value, std::string_view token);
  void onText(std::string_view value);
  void onObjectBegin();
  void onObjectEnd();
  void onListBegin();
  void onListEnd();
  void onKey(const std::string& key);

  // Throws InputError unless every required key was there.
  void finish() const;

  // Where the next value stands, as "key[3][1]".
  std::string here() const;

 private:
  // Lists that are open within the current column's value.
  int listDepth() const { return depth_ - 1; }
  void enter();
  void store(std::int64_t value);
  void store(double value);
  bool skipping(const char* found) const;
  void checkCell(const char* found, bool fits) const;
  [[noreturn]] void refuseType(const std::string& found) const;

  std::span<Column> columns_;
  Column* column_ = nullptr;                 // whose value is being read; null in what is skipped
  int depth_ = 0;                            // open lists and objects
  std::vector<std::set<std::string>> keys_;  // of each open object
};

}  // namespace tilebeam::json
