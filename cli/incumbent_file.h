// The output file of a search. It holds the best schedule so far from the first moment on, whatever
// becomes of the program later.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/exit_code.h"
#include "tilebeam/solver.h"

namespace tilebeam::cli {

class IncumbentFile {
 public:
  // `cancellation` is raised when the file cannot be written: no search is worth going on with
  // then.
  IncumbentFile(const Problem& problem, std::string path, CancellationToken& cancellation);

  // For the search to call. Never throws; finish() does.
  SolverCallbacks callbacks();

  // Makes sure that the file holds this schedule. Throws Failure(kCannotWrite).
  void finish(const Schedule& schedule, const std::vector<double>& latencies);

 private:
  void write(std::string content);

  const Problem& problem_;
  std::string path_;
  CancellationToken& cancellation_;
  std::string written_;
  std::optional<Failure> failure_;
};

// Solves with the output, if it has a path, kept up to date, until `cancellation` is raised.
// Throws Failure if the problem, which came from `problemPath`, has no valid schedule, or the
// output cannot be written.
SolveResult solveUntil(CancellationToken& cancellation, const Problem& problem,
                       const std::string& problemPath, const SolverOptions& options,
                       const std::optional<std::string>& outputPath,
                       const Schedule* initial = nullptr);

// The same until SIGINT or SIGTERM.
SolveResult solveToFile(const Problem& problem, const std::string& problemPath,
                        const SolverOptions& options, const std::string& outputPath,
                        const Schedule* initial = nullptr);

}  // namespace tilebeam::cli
