#include "simulator/json_text.h"

#include <charconv>
#include <cmath>
#include <cstdint>

namespace tilebeam::json {
namespace {

template <class Number>
void append(std::string& out, Number value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  out.append(buffer, end);
}

}  // namespace

void appendNumber(std::string& out, double value) {
  constexpr double kMaxExact = 9007199254740992.0;  // 2^53
  if (!std::isfinite(value)) {
    out += "null";
  } else if (std::abs(value) <= kMaxExact && std::trunc(value) == value) {
    append(out, static_cast<std::int64_t>(value));
  } else {
    append(out, value);
  }
}

void appendNumber(std::string& out, std::int64_t value) { append(out, value); }

}  // namespace tilebeam::json
