// The output file of a search. It holds the best schedule so far from the first moment on, whatever
// becomes of the program later.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/exit_code.h"
#include "cli/stopwatch.h"
#include "tilebeam/solver.h"

namespace tilebeam::cli {

class SearchDisplay;

class IncumbentFile {
 public:
  // `cancellation` is raised when the file cannot be written: no search is worth going on with
  // then.
  IncumbentFile(const Problem& problem, std::string path, CancellationToken& cancellation);

  // Writes the first schedule that there is, before any search. Throws Failure(kCannotWrite).
  void takeFirst(const SolverOptions& options);

  // A better schedule. Written at once, unless the last one took so long to write that it must wait
  // for a later flush(). Neither of the two throws; finish() does.
  void take(const Schedule& schedule, const std::vector<double>& latencies);
  void flush();

  // Makes sure that the file holds this schedule, even if the machine should fail. Throws
  // Failure(kCannotWrite).
  void finish(const Schedule& schedule, const std::vector<double>& latencies);

 private:
  struct Waiting {
    Schedule schedule;
    std::vector<double> latencies;
  };

  bool mayWrite() const { return !failure_ && clock_.seconds() >= next_; }
  void write(const Schedule& schedule, const std::vector<double>& latencies);

  const Problem& problem_;
  std::string path_;
  bool replaceable_;
  CancellationToken& cancellation_;
  Stopwatch clock_;
  double next_ = 0;  // no write before
  std::optional<Waiting> waiting_;
  std::optional<Failure> failure_;
  std::size_t size_ = 0;  // of the file, if it holds the last schedule taken; else 0
};

// Solves with the output, if it has a path, kept up to date, and the display too, until
// `cancellation` is raised. Throws Failure if the problem, which came from `problemPath`, has no
// valid schedule, or the output cannot be written.
SolveResult solveUntil(CancellationToken& cancellation, const Problem& problem,
                       const std::string& problemPath, const SolverOptions& options,
                       const std::optional<std::string>& outputPath,
                       const Schedule* initial = nullptr, SearchDisplay* display = nullptr);

}  // namespace tilebeam::cli
