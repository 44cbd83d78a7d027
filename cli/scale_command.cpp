#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <memory>
#include <thread>

#include "cli/commands.h"
#include "cli/file_roles.h"
#include "cli/number_checks.h"
#include "cli/output_option.h"
#include "cli/scale_plot.h"
#include "cli/scale_report.h"
#include "cli/scale_study.h"
#include "cli/stop_signals.h"
#include "cli/streams.h"
#include "tilebeam/errors.h"

namespace tilebeam::cli {
namespace {

struct ScaleArguments {
  std::string problem;
  std::string csv;
  std::string svg;
  ScaleRequest request;
};

constexpr int kMaxThreads = 1024;
constexpr int kMaxWorkers = 1 << 20;
constexpr int kMaxSetting = 1'000'000;

// Reads "1,2,4": whole numbers from 1 to `max`, each once. Returns what is wrong with it, if
// anything.
std::string readCounts(const std::string& text, int max, std::vector<int>& counts) {
  counts.clear();
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    int count = 0;
    const auto [last, error] = std::from_chars(text.data() + begin, text.data() + end, count);
    if (error != std::errc() || last != text.data() + end || count < 1 || count > max) {
      return "'" + text + "' is no list of whole numbers from 1 to " + std::to_string(max) +
             ", as in 1,2,4";
    }
    if (std::find(counts.begin(), counts.end(), count) != counts.end()) {
      return "'" + text + "' names " + std::to_string(count) + " twice";
    }
    counts.push_back(count);
    begin = end + 1;
  }
  std::sort(counts.begin(), counts.end());
  return {};
}

void addCounts(CLI::App& command, const char* flag, std::vector<int>& counts, int max,
               const char* help) {
  const auto assign = [&counts, max, flag](const std::string& text) {
    const std::string fault = readCounts(text, max, counts);
    if (!fault.empty()) throw CLI::ValidationError(flag, fault);
  };
  command.add_option_function<std::string>(flag, assign, help)->type_name("N,...");
}

// 1, 2, 4, ... and all the machine's cores.
std::vector<int> defaultThreads() {
  const int cores =
      std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kMaxThreads);
  std::vector<int> threads;
  for (int n = 1; n < cores; n *= 2) threads.push_back(n);
  threads.push_back(cores);
  return threads;
}

void checkFiles(const ScaleArguments& arguments) {
  FileRoles files;
  files.addInput(arguments.problem);
  for (const std::string& output : {arguments.csv, arguments.svg}) files.addOutput(output);
  files.requireWritable();
  requireWritable(kStandardOutput);
}

void requireIdentical(const ScaleStudy& study) {
  const auto other = std::find_if(study.rows.begin(), study.rows.end(),
                                  [](const ScaleRow& row) { return !row.identical; });
  if (other == study.rows.end()) return;
  const std::string setting = settingText(other->setting);
  throw Failure(ExitCode::kProgramFault,
                "the schedule at " + std::to_string(other->threads) + " threads" +
                    (other->copiesSeconds > 0 ? ", or of as many copies" : "") +
                    (setting.empty() ? "" : " (" + setting + ")") +
                    " is not that of every other run of the same settings");
}

ScaleStudy study(const ScaleArguments& arguments, const Problem& problem,
                 const CancellationToken& stop) {
  try {
    return runScaleStudy(arguments.request, solverRun(problem, stop), [&](int done) {
      printLine("tilebeam: " + arguments.problem + ": all combinations run, " +
                std::to_string(done) + " of " + std::to_string(arguments.request.repeats) +
                " times");
    });
  } catch (const InfeasibleError& error) {
    throw Failure(ExitCode::kInfeasible, arguments.problem + ": " + error.what());
  } catch (const InterruptedError& error) {
    throw Failure(stoppedCode(), arguments.problem + ": " + error.what());
  }
}

ExitCode runScale(const ScaleArguments& arguments) {
  const CancellationToken& stop = stopOnSignals();
  checkFiles(arguments);
  const Problem problem = loadProblem(arguments.problem);
  const ScaleStudy result = study(arguments, problem, stop);
  if (!arguments.csv.empty()) saveFile(arguments.csv, scaleCsv(result));
  if (!arguments.svg.empty()) {
    saveFile(arguments.svg, scalePlot(result, arguments.problem + ", " +
                                                  std::to_string(problem.opCount()) + " ops"));
  }
  printResult(scaleTable(result) + projectionText(result));
  requireIdentical(result);
  return ExitCode::kDone;
}

void addNumbers(CLI::App& command, ScaleRequest& request) {
  command
      .add_option_function<std::int64_t>(
          "--max-rounds", [&request](const std::int64_t& n) { request.maxRounds = n; },
          "Rounds of each run (default: 0.1 s per worker)")
      ->type_name("N")
      ->check(wholeNumber(1, kMaxSetting));
  command
      .add_option_function<std::int64_t>(
          "--repeat", [&request](const std::int64_t& n) { request.repeats = static_cast<int>(n); },
          "Runs whose medians are shown (default: 3)")
      ->type_name("N")
      ->check(wholeNumber(1, 1000));
}

}  // namespace

void addScaleCommand(CLI::App& parser, Action& action) {
  const auto arguments = std::make_shared<ScaleArguments>();
  ScaleRequest& request = arguments->request;
  request.threads = defaultThreads();
  CLI::App& command = *parser.add_subcommand("scale", "Study how the search scales with threads");
  command.add_option("PROBLEM", arguments->problem, "The problem, JSON")->required();
  addCounts(command, "--threads", request.threads, kMaxThreads,
            "Numbers of threads (default: 1,2,4 ... all cores)");
  addCounts(command, "--grain-size", request.grainSizes, kMaxSetting, "Items per parallel task");
  addCounts(command, "--beam-width", request.beamWidths, kMaxSetting,
            "States kept per number of covered ops");
  addCounts(command, "--tokens", request.tokens, kMaxSetting, "Packages of a beam at work at once");
  addNumbers(command, request);
  command.add_flag("--copies", request.copies, "Also run as many copies of one thread at once");
  addCounts(command, "--project", request.projected, kMaxWorkers,
            "Replay a run's tasks on so many virtual workers");
  addOutputOption(command, "--csv", arguments->csv, "Results to write");
  addOutputOption(command, "--svg", arguments->svg, "Plot of the speedups to write");
  command.footer("Example: tilebeam scale p.json --threads 1,2 --beam-width 64,256 --project 4,16");
  command.callback([&action, arguments] { action = [arguments] { return runScale(*arguments); }; });
}

}  // namespace tilebeam::cli
