#include "cli/row_json.h"

#include <algorithm>

#include "cli/suite_problems.h"
#include "tilebeam/errors.h"

namespace tilebeam::cli {
namespace {

Json optionalNumber(const std::optional<double>& value) {
  return value ? jsonNumber(*value) : Json(nullptr);
}

// Missing keys and null leave `target` as it is.
void readText(const Json& row, const char* key, std::string& target) {
  const auto value = row.find(key);
  if (value == row.end() || value->is_null()) return;
  if (!value->is_string()) throw InputError(std::string(key) + " must be a string");
  target = value->get<std::string>();
}

std::optional<double> readNumber(const Json& row, const char* key) {
  const auto value = row.find(key);
  if (value == row.end() || value->is_null()) return std::nullopt;
  if (!value->is_number()) throw InputError(std::string(key) + " must be a number");
  const double number = value->get<double>();
  if (!(number >= 0 && number <= 1e300)) throw InputError(std::string(key) + " is out of range");
  return number;
}

std::int64_t readCount(const Json& row, const char* key) {
  constexpr double kMaxCount = 1e15;
  return static_cast<std::int64_t>(std::min(readNumber(row, key).value_or(0), kMaxCount));
}

}  // namespace

Json rowJson(const SuiteRow& row) {
  return {{"problem", row.problem},
          {"ops", row.ops},
          {"latency", optionalNumber(row.latency)},
          {"bound", jsonNumber(row.bound)},
          {"gap", optionalNumber(row.gap())},
          {"steps", row.steps},
          {"seconds", jsonNumber(row.seconds)},
          {"status", row.status},
          {"baseline", optionalNumber(row.baseline)},
          {"ratio", optionalNumber(row.ratio())},
          {"error", row.error.empty() ? Json(nullptr) : Json(row.error)}};
}

SuiteRow rowOfJson(const Json& json) {
  if (!json.is_object()) throw InputError("must be an object");
  SuiteRow row;
  readText(json, "problem", row.problem);
  if (row.problem.empty()) throw InputError("problem is missing");
  row.problem = problemName(row.problem);
  readText(json, "status", row.status);
  readText(json, "error", row.error);
  row.ops = readCount(json, "ops");
  row.steps = readCount(json, "steps");
  row.latency = readNumber(json, "latency");
  row.bound = readNumber(json, "bound").value_or(0);
  row.seconds = readNumber(json, "seconds").value_or(0);
  row.baseline = readNumber(json, "baseline");
  return row;
}

}  // namespace tilebeam::cli
