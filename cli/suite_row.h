// What a suite says about one problem.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/exit_code.h"

namespace tilebeam::cli {

// Everything but the name may be missing: of a problem that failed, or in a list made by hand.
struct SuiteRow {
  std::string problem;  // its name
  std::optional<std::int64_t> ops;
  std::optional<double> latency;  // of the schedule; none if the problem failed
  std::optional<double> bound;
  std::optional<std::int64_t> steps;
  std::optional<double> seconds;   // of wall time, reading and writing included
  std::string status;              // the solver's, or failureStatus()
  std::optional<double> baseline;  // the latency to compare with
  std::string error;               // of a problem that failed, one line

  bool solved() const { return latency.has_value(); }

  // (latency - bound) / latency
  std::optional<double> gap() const;

  // baseline / latency: above 1 is better than the baseline.
  std::optional<double> ratio() const;
};

// "malformed", "infeasible", "unwritable" or "fault"
const char* failureStatus(ExitCode code);
bool isFailure(const std::string& status);
ExitCode failureCode(const std::string& status);

// All that a row's status may be.
const std::vector<std::string>& knownStatuses();

// The geometric mean of the ratios.
struct Score {
  double mean = 0;
  std::size_t problems = 0;  // that have a ratio
};
std::optional<Score> score(const std::vector<SuiteRow>& rows);

// The rows as a table, and the score where there is one.
std::string suiteTable(const std::vector<SuiteRow>& rows);

// "5 problems solved, 1 failed"
std::string suiteCounts(const std::vector<SuiteRow>& rows);

}  // namespace tilebeam::cli
