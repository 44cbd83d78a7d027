#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "cli/commands.h"
#include "cli/file_roles.h"
#include "cli/number_checks.h"
#include "cli/option_table.h"
#include "cli/output_option.h"
#include "cli/result_files.h"
#include "cli/shard.h"
#include "cli/stop_signals.h"
#include "cli/stopwatch.h"
#include "cli/streams.h"
#include "cli/suite_run.h"
#include "cli/text_table.h"
#include "simulator/files.h"

namespace tilebeam::cli {
namespace {

struct SuiteArguments {
  std::vector<std::string> paths;
  std::string baseline;
  std::string shard;
  ResultPaths results;
  SuiteRequest request;
};

void warnOfStrangeBaseline(const std::string& path, const SuiteRequest& request) {
  const auto isNamed = [&](const SuiteRow& row) {
    return row.latency && std::any_of(request.problems.begin(), request.problems.end(),
                                      [&](const SuiteProblem& p) { return p.name == row.problem; });
  };
  if (std::none_of(request.baseline.begin(), request.baseline.end(), isNamed)) {
    printLine("tilebeam: warning: " + path + ": no latency for any of the problems");
  }
}

SuiteRequest completeRequest(const SuiteArguments& arguments) {
  SuiteRequest request = arguments.request;
  const Shard shard = arguments.shard.empty() ? Shard{} : parseShard(arguments.shard);
  request.problems = takeShard(listProblems(arguments.paths), shard);
  if (!arguments.baseline.empty()) {
    request.baseline = loadResults(arguments.baseline);
    warnOfStrangeBaseline(arguments.baseline, request);
  }
  return request;
}

void makeDirectory(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) {
    throw Failure(ExitCode::kCannotWrite, path + ": cannot be written: " + error.message());
  }
}

void checkFiles(const SuiteArguments& arguments, const SuiteRequest& request) {
  if (!request.outputDirectory.empty()) makeDirectory(request.outputDirectory);
  FileRoles files;
  for (const SuiteProblem& problem : request.problems) files.addInput(problem.path);
  files.addInput(arguments.baseline);
  files.addOutput(arguments.results.csv);
  files.addOutput(arguments.results.json);
  for (const SuiteProblem& problem : request.problems) {
    files.addOutput(schedulePath(request, problem).value_or(""));
  }
  files.requireWritable();
  requireWritable(kStandardOutput);
}

// Keeps the result files up to date from the beginning, so that neither a typing error in their
// names nor the end of the machine costs more than a moment's work.
class ResultKeeper {
 public:
  ResultKeeper(ResultPaths paths, std::vector<std::string> commandLine, CancellationToken& stop)
      : paths_(std::move(paths)), commandLine_(std::move(commandLine)), stop_(stop) {
    saveResults(replaceable(), {}, commandLine_);
  }

  // At most once a second. Never throws; finish() does.
  void update(const std::vector<SuiteRow>& rows) {
    if (failure_ || sinceSaved_.seconds() < 1) return;
    try {
      saveResults(replaceable(), rows, commandLine_);
      sinceSaved_ = {};
    } catch (const Failure& failure) {
      failure_ = failure;
      stop_.cancel();
    }
  }

  void finish(const std::vector<SuiteRow>& rows) {
    if (failure_) throw *failure_;
    saveResults(paths_, rows, commandLine_);
  }

 private:
  // What goes into a pipe goes there once, at the end.
  ResultPaths replaceable() const {
    const auto ifFile = [](const std::string& path) { return isReplaceable(path) ? path : ""; };
    return {ifFile(paths_.csv), ifFile(paths_.json)};
  }

  ResultPaths paths_;
  std::vector<std::string> commandLine_;
  CancellationToken& stop_;
  Stopwatch sinceSaved_;
  std::optional<Failure> failure_;
};

void printProgress(const SuiteRow& row, std::size_t done, std::size_t total) {
  if (!row.solved()) return printLine("tilebeam: error: " + row.error);
  printLine("tilebeam: " + row.problem + ": latency " + formatNumber(*row.latency) + ", gap " +
            formatFixed(100 * row.gap().value_or(0), 2) + " %, " +
            formatFixed(row.seconds.value_or(0), 2) + " s (" + std::to_string(done) + " of " +
            std::to_string(total) + ")");
}

std::string summary(const std::vector<SuiteRow>& rows, std::size_t total, double seconds) {
  std::string text = "tilebeam: " + suiteCounts(rows);
  if (rows.size() < total) text += ", " + std::to_string(total - rows.size()) + " not begun";
  return text + ", " + formatFixed(seconds, 2) + " s";
}

ExitCode firstFailure(const std::vector<SuiteRow>& rows) {
  for (const SuiteRow& row : rows) {
    if (!row.solved()) return failureCode(row.status);
  }
  return ExitCode::kDone;
}

ExitCode runSuiteCommand(const SuiteArguments& arguments,
                         const std::vector<std::string>& commandLine) {
  const Stopwatch stopwatch;
  const SuiteRequest request = completeRequest(arguments);
  checkFiles(arguments, request);
  CancellationToken& stop = stopOnSignals();
  ResultKeeper keeper(arguments.results, commandLine, stop);
  const std::size_t total = request.problems.size();
  const std::vector<SuiteRow> rows =
      runSuite(request, stop, [&](const std::vector<SuiteRow>& soFar, const SuiteRow& latest) {
        printProgress(latest, soFar.size(), total);
        keeper.update(soFar);
      });
  keeper.finish(rows);  // first: standard output may be gone
  printResult(suiteTable(rows));
  printLine(summary(rows, total, stopwatch.seconds()));
  return firstFailure(rows);
}

void addFiles(CLI::App& command, SuiteArguments& arguments) {
  command.add_option("PATHS", arguments.paths, "Problems, or directories of *.json")->required();
  addOutputOption(command, "--csv", arguments.results.csv, "Results to write");
  addOutputOption(command, "--json", arguments.results.json, "Results to write");
  command
      .add_option("--baseline", arguments.baseline,
                  "To compare with: results, or CSV problem,latency")
      ->type_name("FILE");
  command.add_option("--output-dir", arguments.request.outputDirectory, "Schedules to write")
      ->type_name("DIR");
}

void addWork(CLI::App& command, SuiteArguments& arguments) {
  command.add_option("--shard", arguments.shard, "Every N-th problem from the I-th; or auto")
      ->type_name("I/N");
  const auto setJobs = [&jobs = arguments.request.jobs](const std::int64_t& value) {
    jobs = static_cast<int>(value);
  };
  command
      .add_option_function<std::int64_t>("--jobs", setJobs,
                                         "Problems at once, sharing the threads (default: 1)")
      ->type_name("N")
      ->check(wholeNumber(1, 1024));
  command.add_flag("--contest", arguments.request.contest,
                   "The contest's time limit for each problem's size");
}

}  // namespace

void addSuiteCommand(CLI::App& parser, Action& action,
                     const std::vector<std::string>& commandLine) {
  const auto arguments = std::make_shared<SuiteArguments>();
  CLI::App& command = *parser.add_subcommand("suite", "Solve many problems");
  addFiles(command, *arguments);
  addSolverOptions(command, arguments->request.options);
  addWork(command, *arguments);
  command.footer("Example: tilebeam suite problems --max-rounds 2 --csv results.csv");
  command.callback([&action, &command, commandLine, arguments] {
    if (command.count("--contest") > 0 && command.count("--time-limit") > 0) {
      throw CLI::ExcludesError("--contest", "--time-limit");
    }
    settleTimeLimit(command, arguments->request.options);
    action = [arguments, commandLine] { return runSuiteCommand(*arguments, commandLine); };
  });
}

}  // namespace tilebeam::cli
