#include "cli/incumbent_file.h"

#include <utility>

#include "cli/stop_signals.h"
#include "cli/streams.h"
#include "simulator/files.h"
#include "tilebeam/errors.h"
#include "tilebeam/json_io.h"

namespace tilebeam::cli {

IncumbentFile::IncumbentFile(const Problem& problem, std::string path,
                             CancellationToken& cancellation)
    : problem_(problem), path_(std::move(path)), cancellation_(cancellation) {}

SolverCallbacks IncumbentFile::callbacks() {
  // What goes into a pipe cannot be replaced: only the last schedule does, from finish().
  if (!isReplaceable(path_)) return {};
  return {.onIncumbent = [this](const Incumbent&, const Schedule& schedule,
                                const std::vector<double>& latencies) {
    if (failure_) return;
    try {
      write(writeSchedule(problem_, schedule, latencies));
    } catch (const Failure& failure) {
      failure_ = failure;
      cancellation_.cancel();
    }
  }};
}

void IncumbentFile::finish(const Schedule& schedule, const std::vector<double>& latencies) {
  if (failure_) throw *failure_;
  std::string content = writeSchedule(problem_, schedule, latencies);
  if (content != written_) write(std::move(content));
}

void IncumbentFile::write(std::string content) {
  saveFile(path_, content);
  written_ = std::move(content);
}

SolveResult solveUntil(CancellationToken& cancellation, const Problem& problem,
                       const std::string& problemPath, const SolverOptions& options,
                       const std::optional<std::string>& outputPath, const Schedule* initial) {
  try {
    if (!outputPath) return solve(problem, options, {}, &cancellation, initial);
    IncumbentFile file(problem, *outputPath, cancellation);
    SolveResult result = solve(problem, options, file.callbacks(), &cancellation, initial);
    file.finish(result.schedule, result.stepLatencies);
    return result;
  } catch (const InfeasibleError& error) {
    throw Failure(ExitCode::kInfeasible, problemPath + ": " + error.what());
  }
}

SolveResult solveToFile(const Problem& problem, const std::string& problemPath,
                        const SolverOptions& options, const std::string& outputPath,
                        const Schedule* initial) {
  return solveUntil(stopOnSignals(), problem, problemPath, options, outputPath, initial);
}

}  // namespace tilebeam::cli
