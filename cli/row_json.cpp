#include "cli/row_json.h"

#include <cmath>
#include <utility>

#include "cli/row_rules.h"
#include "cli/suite_problems.h"
#include "cli/utf8.h"
#include "tilebeam/errors.h"

namespace tilebeam::cli {
namespace {

Json optionalNumber(const std::optional<double>& value) {
  return value ? jsonNumber(*value) : Json(nullptr);
}

Json optionalCount(const std::optional<std::int64_t>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json optionalText(const std::string& value) { return value.empty() ? Json(nullptr) : Json(value); }

// Missing keys and null leave `target` as it is.
void readText(const Json& row, const char* key, std::string& target) {
  const auto value = row.find(key);
  if (value == row.end() || value->is_null()) return;
  if (!value->is_string()) throw InputError(std::string(key) + " must be a string");
  target = withBytesEscaped(value->get<std::string>());
  if (target.find('\0') != std::string::npos) {
    throw InputError(std::string(key) + " must not have zero bytes");
  }
}

std::optional<double> readNumber(const Json& row, const char* key, double most = 1e300) {
  const auto value = row.find(key);
  if (value == row.end() || value->is_null()) return std::nullopt;
  if (!value->is_number()) throw InputError(std::string(key) + " must be a number");
  const double number = value->get<double>();
  if (!(number >= 0 && number <= most)) throw InputError(std::string(key) + " is out of range");
  return number;
}

std::optional<std::int64_t> readCount(const Json& row, const char* key) {
  constexpr double kMaxCount = 1e15;
  const auto number = readNumber(row, key, kMaxCount);
  if (!number) return std::nullopt;
  if (std::trunc(*number) != *number) throw InputError(std::string(key) + " must be whole");
  if (*number < 1) throw InputError(std::string(key) + " must be at least 1");
  return static_cast<std::int64_t>(*number);
}

// Of rounded numbers it may be a little below 0.
std::optional<double> readGap(const Json& row) {
  const auto gap = row.find("gap");
  if (gap == row.end() || gap->is_null()) return std::nullopt;
  if (!gap->is_number()) throw InputError("gap must be a number");
  const double value = gap->get<double>();
  if (!(value >= -kGapRounding && value <= 1)) throw InputError("gap must be from 0 to 1");
  return value;
}

}  // namespace

Json rowJson(const SuiteRow& row) {
  return {{"problem", row.problem},
          {"ops", optionalCount(row.ops)},
          {"latency", optionalNumber(row.latency)},
          {"bound", optionalNumber(row.bound)},
          {"gap", optionalNumber(row.gap())},
          {"steps", optionalCount(row.steps)},
          {"seconds", optionalNumber(row.seconds)},
          {"status", optionalText(row.status)},
          {"baseline", optionalNumber(row.baseline)},
          {"ratio", optionalNumber(row.ratio())},
          {"error", optionalText(row.error)}};
}

SuiteRow rowOfJson(const Json& json) {
  if (!json.is_object()) throw InputError("must be an object");
  SuiteRow row;
  readText(json, "problem", row.problem);
  if (row.problem.empty()) throw InputError("problem is missing");
  const std::string path = std::exchange(row.problem, problemName(row.problem));
  if (row.problem.empty()) throw InputError("problem must name a file, as " + path + " does not");
  readText(json, "status", row.status);
  readText(json, "error", row.error);
  row.ops = readCount(json, "ops");
  row.steps = readCount(json, "steps");
  row.latency = readNumber(json, "latency");
  row.bound = readNumber(json, "bound");
  row.seconds = readNumber(json, "seconds");
  row.baseline = readNumber(json, "baseline");
  verifyRow(row, readGap(json), readNumber(json, "ratio"));
  return row;
}

}  // namespace tilebeam::cli
