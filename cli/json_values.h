// Values of the JSON that the programs print.
#pragma once

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace tilebeam::cli {

using Json = nlohmann::ordered_json;

// Integral values have no fraction; what is not finite is null.
inline Json jsonNumber(double value) {
  constexpr double kMaxExact = 9007199254740992.0;  // 2^53
  if (!std::isfinite(value)) return nullptr;
  if (std::abs(value) <= kMaxExact && std::trunc(value) == value) {
    return static_cast<std::int64_t>(value);
  }
  return value;
}

template <class Ids>
Json jsonIds(const Ids& ids) {
  Json list = Json::array();
  for (const auto id : ids) list.push_back(id.value());
  return list;
}

// One line. Bytes that are no UTF-8 (a file's name may hold any) become replacement characters.
inline std::string dumpLine(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// An object with one line per key, and one per entry of lists of objects.
std::string dumpObject(const Json& object);

}  // namespace tilebeam::cli
