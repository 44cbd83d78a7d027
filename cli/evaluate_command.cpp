#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/evaluation_report.h"
#include "cli/streams.h"

namespace tilebeam::cli {
namespace {

struct EvaluateArguments {
  std::string problem;
  std::string schedule;
  bool json = false;
  DepthReading depth = DepthReading::kNative;
};

ExitCode evaluate(const EvaluateArguments& arguments) {
  const Problem problem = loadProblem(arguments.problem);
  const Schedule schedule = loadSchedule(arguments.schedule);
  const ScheduleEvaluator evaluator(problem, {.depth = arguments.depth});
  const Evaluation evaluation = evaluator.evaluate(schedule);
  const auto warnings = latencyWarnings(schedule, evaluation);
  printWarnings(arguments.schedule, warnings);
  if (arguments.json) {
    printResult(evaluationJson(schedule, evaluation, warnings));
    return evaluation.valid() ? ExitCode::kDone : ExitCode::kInvalidSchedule;
  }
  if (!evaluation.valid()) {
    throw Failure(ExitCode::kInvalidSchedule,
                  arguments.schedule + ": " + evaluation.violation->message());
  }
  printResult(evaluationTable(problem, schedule, evaluation));
  return ExitCode::kDone;
}

}  // namespace

void addEvaluateCommand(CLI::App& parser, Action& action) {
  const auto arguments = std::make_shared<EvaluateArguments>();
  CLI::App& command = *parser.add_subcommand("evaluate", "Judge a schedule: validity and costs");
  command.add_option("PROBLEM", arguments->problem, "The problem, JSON")->required();
  command.add_option("SCHEDULE", arguments->schedule, "The schedule, JSON")->required();
  command.add_flag("--json", arguments->json, "Print JSON, for invalid schedules too");
  addDepthOption(command, arguments->depth);
  command.footer("Example: tilebeam evaluate problem.json schedule.json");
  command.callback([&action, arguments] { action = [arguments] { return evaluate(*arguments); }; });
}

}  // namespace tilebeam::cli
