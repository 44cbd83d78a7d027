// Pieces of JSON text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tilebeam::json {

// What some editors and spreadsheets put first. No part of JSON.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// The shortest text that reads back as the same double; an integral value without a fraction. JSON
// has no infinities: anything not finite is null.
void appendNumber(std::string& out, double value);
void appendNumber(std::string& out, std::int64_t value);

// "[a, b]", each value by `append(out, value)`.
template <class Values, class Append>
void appendList(std::string& out, const Values& values, Append append) {
  out += '[';
  const char* separator = "";
  for (const auto& value : values) {
    out += separator;
    append(out, value);
    separator = ", ";
  }
  out += ']';
}

}  // namespace tilebeam::json
