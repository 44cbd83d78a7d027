#include "cli/suite_row.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "cli/text_table.h"
#include "cli/utf8.h"
#include "tilebeam/lower_bound.h"
#include "tilebeam/solver.h"

namespace tilebeam::cli {
namespace {

constexpr std::array kFailures{ExitCode::kMalformedInput, ExitCode::kInfeasible,
                               ExitCode::kCannotWrite, ExitCode::kProgramFault};

std::string fixedOrNone(const std::optional<double>& value, double factor, int decimals) {
  return value ? formatFixed(factor * *value, decimals) : "-";
}

std::string numberOrNone(const std::optional<double>& value) {
  return value ? formatNumber(*value) : "-";
}

std::string countOrNone(const std::optional<std::int64_t>& value) {
  return value ? std::to_string(*value) : "-";
}

std::vector<std::string> tableCells(const SuiteRow& row, bool withRatio) {
  std::vector<std::string> cells{
      printable(row.problem),         countOrNone(row.ops),
      numberOrNone(row.latency),      numberOrNone(row.bound),
      fixedOrNone(row.gap(), 100, 2), countOrNone(row.steps),
      fixedOrNone(row.seconds, 1, 2), row.status.empty() ? "-" : printable(row.status)};
  if (withRatio) cells.push_back(fixedOrNone(row.ratio(), 1, 4));
  return cells;
}

}  // namespace

std::optional<double> SuiteRow::gap() const {
  if (!latency || !bound) return std::nullopt;
  return relativeGap(*latency, *bound);
}

std::optional<double> SuiteRow::ratio() const {
  if (!latency || !baseline || *latency <= 0 || *baseline <= 0) return std::nullopt;
  return *baseline / *latency;
}

const char* failureStatus(ExitCode code) {
  switch (code) {
    case ExitCode::kMalformedInput:
      return "malformed";
    case ExitCode::kInfeasible:
      return "infeasible";
    case ExitCode::kCannotWrite:
      return "unwritable";
    default:
      return "fault";
  }
}

bool isFailure(const std::string& status) {
  return std::any_of(kFailures.begin(), kFailures.end(),
                     [&](ExitCode code) { return status == failureStatus(code); });
}

ExitCode failureCode(const std::string& status) {
  for (const ExitCode code : kFailures) {
    if (status == failureStatus(code)) return code;
  }
  return ExitCode::kProgramFault;
}

const std::vector<std::string>& knownStatuses() {
  static const std::vector<std::string> statuses = [] {
    std::vector<std::string> all{name(SolveStatus::kOptimal), name(SolveStatus::kRoundLimit),
                                 name(SolveStatus::kTimeLimit), name(SolveStatus::kInterrupted)};
    for (const ExitCode code : kFailures) all.emplace_back(failureStatus(code));
    return all;
  }();
  return statuses;
}

std::optional<Score> score(const std::vector<SuiteRow>& rows) {
  double logarithms = 0;
  Score result;
  for (const SuiteRow& row : rows) {
    const auto ratio = row.ratio();
    if (!ratio) continue;
    logarithms += std::log(*ratio);
    ++result.problems;
  }
  if (result.problems == 0) return std::nullopt;
  result.mean = std::exp(logarithms / static_cast<double>(result.problems));
  return result;
}

std::string suiteTable(const std::vector<SuiteRow>& rows) {
  const bool withRatio =
      std::any_of(rows.begin(), rows.end(), [](const SuiteRow& row) { return row.baseline; });
  std::vector<std::string> header{"problem", "ops",   "latency", "bound",
                                  "gap %",   "steps", "seconds", "status"};
  if (withRatio) header.push_back("ratio");
  TextTable table(std::move(header));
  for (const SuiteRow& row : rows) table.addRow(tableCells(row, withRatio));
  const auto total = score(rows);
  if (!total) return table.text();
  return table.text() + "\nscore " + formatFixed(total->mean, 4) +
         ", the geometric mean of baseline / latency over " + std::to_string(total->problems) +
         " of " + std::to_string(rows.size()) + " problems\n";
}

std::string suiteCounts(const std::vector<SuiteRow>& rows) {
  const auto solved = static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [](const SuiteRow& row) { return row.solved(); }));
  return std::to_string(solved) + (solved == 1 ? " problem" : " problems") + " solved, " +
         std::to_string(rows.size() - solved) + " failed";
}

}  // namespace tilebeam::cli
