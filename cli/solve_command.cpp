#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/evaluation_report.h"
#include "cli/file_roles.h"
#include "cli/incumbent_file.h"
#include "cli/option_table.h"
#include "cli/output_option.h"
#include "cli/search_display.h"
#include "cli/solve_statistics.h"
#include "cli/stop_signals.h"
#include "cli/stopwatch.h"
#include "cli/streams.h"
#include "cli/text_table.h"
#include "tilebeam/schedule_evaluator.h"

namespace tilebeam::cli {
namespace {

struct SolveArguments {
  std::string problem;
  std::string output = kStandardOutput;
  std::string statistics;
  std::string initial;
  SolverOptions options;
  DisplayOptions display;
};

void checkFiles(const SolveArguments& arguments) {
  FileRoles files;
  files.addInput(arguments.problem);
  files.addOutput(arguments.output);
  // A better schedule may replace the one to start from; statistics may not.
  files.addInput(arguments.initial);
  files.addOutput(arguments.statistics);
  files.requireWritable();
}

std::string summary(const std::string& path, const SolveResult& result) {
  return "tilebeam: " + path + ": latency " + formatNumber(result.totalLatency) + ", bound " +
         formatNumber(result.bound) + ", gap " + formatFixed(100 * result.gap(), 2) + " %, " +
         std::to_string(result.schedule.steps.size()) + " steps, " +
         formatFixed(result.seconds, 2) + " s";
}

// The schedule to start from, if one is given; it must be valid.
std::optional<Schedule> loadInitial(const Problem& problem, const SolveArguments& arguments) {
  if (arguments.initial.empty()) return std::nullopt;
  Schedule schedule = loadSchedule(arguments.initial);
  const Evaluation evaluation =
      requireValid(problem, schedule, arguments.initial, arguments.options.depth);
  if (arguments.display.says(LogLevel::kWarning)) {
    printWarnings(arguments.initial, latencyWarnings(schedule, evaluation));
  }
  return schedule;
}

void warnOfFewerThreads(const SolveArguments& arguments, const SolveResult& result) {
  const int wanted = arguments.options.threads;
  if (result.options.threads >= wanted || !arguments.display.says(LogLevel::kWarning)) return;
  printLine("tilebeam: warning: --threads " + std::to_string(wanted) + ": no more than " +
            std::to_string(result.options.threads) + " could be started");
}

SolveResult search(const SolveArguments& arguments, const Problem& problem, const Schedule* initial,
                   CancellationToken& stop) {
  SearchDisplay display(arguments.display);
  return solveUntil(stop, problem, arguments.problem, arguments.options, arguments.output, initial,
                    &display);
}

ExitCode runSolve(const SolveArguments& arguments, const std::vector<std::string>& commandLine) {
  const Stopwatch stopwatch;
  // From now on a signal means: write the first schedule that there is.
  CancellationToken& stop = stopOnSignals();
  checkFiles(arguments);
  const Problem problem = loadProblem(arguments.problem);
  const std::optional<Schedule> initial = loadInitial(problem, arguments);
  const double readSeconds = stopwatch.seconds();
  const SolveResult result = search(arguments, problem, initial ? &*initial : nullptr, stop);
  warnOfFewerThreads(arguments, result);
  if (!arguments.statistics.empty()) {
    saveFile(arguments.statistics, statisticsJson({commandLine, arguments.problem, problem, result,
                                                   readSeconds, stopwatch.seconds()}));
  }
  if (arguments.display.says(LogLevel::kInfo)) printLine(summary(arguments.problem, result));
  return ExitCode::kDone;
}

void addFiles(CLI::App& command, SolveArguments& arguments) {
  command.add_option("PROBLEM", arguments.problem, "The problem, JSON")->required();
  addOutputOption(command, "-o,--output", arguments.output,
                  "Schedule to write (default: standard output)");
  command.add_option("--initial", arguments.initial, "Schedule to start from, JSON")
      ->type_name("FILE");
  addOutputOption(command, "--stats", arguments.statistics, "Statistics to write, JSON");
}

}  // namespace

void addSolveCommand(CLI::App& parser, Action& action,
                     const std::vector<std::string>& commandLine) {
  const auto arguments = std::make_shared<SolveArguments>();
  CLI::App& command = *parser.add_subcommand("solve", "Find a good schedule");
  addFiles(command, *arguments);
  addSolverOptions(command, arguments->options);
  addDisplayOptions(command, arguments->display);
  command.footer("Example: tilebeam solve problem.json -o schedule.json --time-limit 5");
  command.callback([&action, &command, commandLine, arguments] {
    settleTimeLimit(command, arguments->options);
    checkDisplayOptions(command);
    action = [arguments, commandLine] { return runSolve(*arguments, commandLine); };
  });
}

}  // namespace tilebeam::cli
