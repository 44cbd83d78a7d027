// Many problems in one run.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/suite_problems.h"
#include "cli/suite_row.h"
#include "tilebeam/solver.h"

namespace tilebeam::cli {

struct SuiteRequest {
  std::vector<SuiteProblem> problems;
  std::vector<SuiteRow> baseline;
  SolverOptions options;
  bool contest = false;         // each problem has the contest's time limit for its size
  int jobs = 1;                 // problems solved at a time; they share the threads
  std::string outputDirectory;  // of the schedules, NAME.json each; empty: not kept
};

// Where the schedule of a problem is kept, if it is.
std::optional<std::string> schedulePath(const SuiteRequest& request, const SuiteProblem& problem);

// All results there are, in the order of the problems; `latest` is the one that is new.
using SuiteProgress =
    std::function<void(const std::vector<SuiteRow>& rows, const SuiteRow& latest)>;

// A problem that fails yields a row that says so. Once `stop` is raised, the problems being solved
// end with what they have, and those not begun have no row.
std::vector<SuiteRow> runSuite(const SuiteRequest& request, const CancellationToken& stop,
                               const SuiteProgress& progress);

}  // namespace tilebeam::cli
