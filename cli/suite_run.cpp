#include "cli/suite_run.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <new>
#include <string_view>
#include <thread>

#include "cli/contest_clock.h"
#include "cli/incumbent_file.h"
#include "cli/process_pool.h"
#include "cli/row_json.h"
#include "cli/stopwatch.h"
#include "cli/streams.h"

namespace tilebeam::cli {
namespace {

void solveInto(SuiteRow& row, const SuiteRequest& request, const SuiteProblem& source,
               CancellationToken& stop, const Stopwatch& stopwatch) {
  const Problem problem = loadProblem(source.path);
  row.ops = static_cast<std::int64_t>(problem.opCount());
  SolverOptions options = request.options;
  if (request.contest) options.timeLimit = contestTimeLimit(problem.opCount(), stopwatch.seconds());
  const SolveResult result =
      solveUntil(stop, problem, source.path, options, schedulePath(request, source));
  row.status = name(result.status);
  row.latency = result.totalLatency;
  row.bound = result.bound;
  row.steps = static_cast<std::int64_t>(result.schedule.steps.size());
}

void markFailed(SuiteRow& row, ExitCode code, std::string error) {
  row.status = failureStatus(code);
  row.error = std::move(error);
}

// Runs in a process of its own, so the end of what can be caught is the end of this problem alone.
SuiteRow solveProblem(const SuiteRequest& request, const SuiteProblem& source,
                      CancellationToken& stop) {
  const Stopwatch stopwatch;
  SuiteRow row;
  row.problem = source.name;
  try {
    solveInto(row, request, source, stop, stopwatch);
  } catch (const Failure& failure) {
    markFailed(row, failure.code(), failure.what());
  } catch (const std::bad_alloc&) {
    markFailed(row, ExitCode::kProgramFault, source.path + ": out of memory");
  } catch (const std::exception& fault) {
    markFailed(row, ExitCode::kProgramFault, source.path + ": internal fault: " + fault.what());
  }
  row.seconds = stopwatch.seconds();
  return row;
}

SuiteRow rowOfOutcome(const SuiteProblem& source, const ProcessOutcome& outcome) {
  SuiteRow row;
  if (outcome.fault.empty()) {
    row = rowOfJson(Json::parse(outcome.output));
  } else {
    markFailed(row, ExitCode::kProgramFault, source.path + ": " + outcome.fault);
  }
  row.problem = source.name;
  return row;
}

SuiteRequest shareThreads(SuiteRequest request) {
  request.jobs = std::clamp(request.jobs, 1,
                            static_cast<int>(std::max<std::size_t>(request.problems.size(), 1)));
  int& threads = request.options.threads;
  if (request.jobs == 1) return request;
  if (threads <= 0) threads = static_cast<int>(std::thread::hardware_concurrency());
  threads = std::max(1, threads / request.jobs);
  return request;
}

std::map<std::string_view, double> latenciesOf(const std::vector<SuiteRow>& rows) {
  std::map<std::string_view, double> latencies;
  for (const SuiteRow& row : rows) {
    if (row.latency) latencies[row.problem] = *row.latency;
  }
  return latencies;
}

}  // namespace

std::optional<std::string> schedulePath(const SuiteRequest& request, const SuiteProblem& problem) {
  if (request.outputDirectory.empty()) return std::nullopt;
  return (std::filesystem::path(request.outputDirectory) /
          (problemFileName(problem.path) + ".json"))
      .string();
}

std::vector<SuiteRow> runSuite(const SuiteRequest& given, const CancellationToken& stop,
                               const SuiteProgress& progress) {
  const SuiteRequest request = shareThreads(given);
  const auto baseline = latenciesOf(request.baseline);
  std::map<std::size_t, SuiteRow> rows;
  const auto rowsSoFar = [&] {
    std::vector<SuiteRow> list;
    for (const auto& [index, row] : rows) list.push_back(row);
    return list;
  };
  const auto work = [&](std::size_t index, CancellationToken& stopChild) {
    return dumpLine(rowJson(solveProblem(request, request.problems[index], stopChild)));
  };
  const auto report = [&](std::size_t index, const ProcessOutcome& outcome) {
    SuiteRow& row = rows[index] = rowOfOutcome(request.problems[index], outcome);
    const auto known = baseline.find(row.problem);
    if (known != baseline.end()) row.baseline = known->second;
    progress(rowsSoFar(), row);
  };
  runInProcesses(request.problems.size(), request.jobs, stop, work, report);
  return rowsSoFar();
}

}  // namespace tilebeam::cli
