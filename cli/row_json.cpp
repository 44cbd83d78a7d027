#include "cli/row_json.h"

#include <algorithm>
#include <cmath>

#include "cli/joined.h"
#include "cli/suite_problems.h"
#include "cli/text_table.h"
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
  return static_cast<std::int64_t>(*number);
}

// Gap and ratio are not read, since they follow from the rest; yet they may not be nonsense.
void verifyFollows(const char* key, double value, const std::optional<double>& due,
                   const char* from) {
  constexpr double kRounding = 1e-4;  // a table may have been rounded
  if (!due || std::abs(value - *due) <= kRounding * std::max(1.0, std::abs(*due))) return;
  throw InputError(std::string(key) + " must be " + formatNumber(*due) + ", which follows from " +
                   from + ", not " + formatNumber(value));
}

void verifyGap(const Json& json, const SuiteRow& row) {
  constexpr double kRounding = 1e-6;
  if (row.gap() && *row.gap() < -kRounding) throw InputError("bound is above latency");
  const auto gap = json.find("gap");
  if (gap == json.end() || gap->is_null()) return;
  if (!gap->is_number()) throw InputError("gap must be a number");
  const double value = gap->get<double>();
  if (!(value >= -kRounding && value <= 1)) throw InputError("gap must be from 0 to 1");
  verifyFollows("gap", value, row.gap(), "latency and bound");
}

void verifyStatus(const std::string& status) {
  const std::vector<std::string>& known = knownStatuses();
  if (status.empty() || std::find(known.begin(), known.end(), status) != known.end()) return;
  throw InputError("status must be one of " + joined(known));
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
  row.problem = problemName(row.problem);
  readText(json, "status", row.status);
  verifyStatus(row.status);
  readText(json, "error", row.error);
  row.ops = readCount(json, "ops");
  row.steps = readCount(json, "steps");
  row.latency = readNumber(json, "latency");
  row.bound = readNumber(json, "bound");
  row.seconds = readNumber(json, "seconds");
  row.baseline = readNumber(json, "baseline");
  if (const auto ratio = readNumber(json, "ratio")) {
    verifyFollows("ratio", *ratio, row.ratio(), "baseline and latency");
  }
  verifyGap(json, row);
  return row;
}

}  // namespace tilebeam::cli
