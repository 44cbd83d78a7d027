#include "cli/incumbent_file.h"

#include <algorithm>
#include <utility>

#include "cli/search_display.h"
#include "cli/stop_signals.h"
#include "cli/streams.h"
#include "simulator/files.h"
#include "tilebeam/errors.h"
#include "tilebeam/json_io.h"

namespace tilebeam::cli {
namespace {

SolverCallbacks callbacksFor(IncumbentFile* file, SearchDisplay* display) {
  SolverCallbacks callbacks;
  callbacks.onIncumbent = [file, display](const Incumbent& news, const Schedule& schedule,
                                          const std::vector<double>& latencies) {
    if (file != nullptr) file->take(schedule, latencies);
    if (display != nullptr) display->show(news);
  };
  callbacks.onProgress = [file, display](const SearchProgress& progress) {
    if (file != nullptr) file->flush();
    if (display != nullptr) display->show(progress);
  };
  return callbacks;
}

}  // namespace

// What goes into a pipe cannot be replaced: only the last schedule does, from finish().
IncumbentFile::IncumbentFile(const Problem& problem, std::string path,
                             CancellationToken& cancellation)
    : problem_(problem),
      path_(std::move(path)),
      replaceable_(isReplaceable(path_)),
      cancellation_(cancellation) {}

// The search will find this schedule too, but only once it has threads and a bound.
void IncumbentFile::takeFirst(const SolverOptions& options) {
  if (!replaceable_) return;
  if (const auto first = singleOpSchedule(problem_, options)) {
    write(first->schedule, first->stepLatencies);
  }
  if (failure_) throw *failure_;
}

void IncumbentFile::take(const Schedule& schedule, const std::vector<double>& latencies) {
  if (!replaceable_) return;
  size_ = 0;
  if (mayWrite()) {
    write(schedule, latencies);
  } else {
    waiting_ = Waiting{schedule, latencies};
  }
}

void IncumbentFile::flush() {
  if (waiting_ && mayWrite()) write(waiting_->schedule, waiting_->latencies);
}

void IncumbentFile::write(const Schedule& schedule, const std::vector<double>& latencies) {
  constexpr double kPause = 9;  // times what a write takes, so that it has a tenth of one core
  const double start = clock_.seconds();
  try {
    const std::string text = writeSchedule(problem_, schedule, latencies);
    saveFile(path_, text, Durability::kProcess);
    size_ = text.size();
  } catch (const Failure& failure) {
    failure_ = failure;
    cancellation_.cancel();
  }
  const double end = clock_.seconds();
  next_ = end + kPause * (end - start);
  waiting_.reset();
}

void IncumbentFile::finish(const Schedule& schedule, const std::vector<double>& latencies) {
  if (failure_) throw *failure_;
  // A million ops take seconds to write.
  if (size_ > 0 && secureFile(path_, size_)) return;
  saveFile(path_, writeSchedule(problem_, schedule, latencies));
}

SolveResult solveUntil(CancellationToken& cancellation, const Problem& problem,
                       const std::string& problemPath, const SolverOptions& options,
                       const std::optional<std::string>& outputPath, const Schedule* initial,
                       SearchDisplay* display) {
  const Stopwatch stopwatch;
  std::optional<IncumbentFile> file;
  if (outputPath) file.emplace(problem, *outputPath, cancellation);
  if (file && initial == nullptr) file->takeFirst(options);
  SolverOptions left = options;
  left.timeLimit = std::max(0.0, left.timeLimit - stopwatch.seconds());
  try {
    SolveResult result = solve(problem, left, callbacksFor(file ? &*file : nullptr, display),
                               &cancellation, initial);
    result.options.timeLimit = options.timeLimit;
    if (display != nullptr) display->erase();
    if (file) file->finish(result.schedule, result.stepLatencies);
    return result;
  } catch (const InfeasibleError& error) {
    throw Failure(ExitCode::kInfeasible, problemPath + ": " + error.what());
  } catch (const InterruptedError& error) {
    throw Failure(stoppedCode(), problemPath + ": " + error.what());
  }
}

}  // namespace tilebeam::cli
