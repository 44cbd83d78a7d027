#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <memory>

#include "cli/commands.h"
#include "cli/evaluation_report.h"
#include "cli/explain_report.h"
#include "cli/streams.h"

namespace tilebeam::cli {
namespace {

struct ExplainArguments {
  std::string problem;
  std::string schedule;
  std::int64_t step = 0;
  bool json = false;
  DepthReading depth = DepthReading::kNative;
};

ExitCode explain(const ExplainArguments& arguments) {
  const Problem problem = loadProblem(arguments.problem);
  const Schedule schedule = loadSchedule(arguments.schedule);
  const Evaluation evaluation =
      requireValid(problem, schedule, arguments.schedule, arguments.depth);
  const auto last = static_cast<std::int64_t>(schedule.steps.size()) - 1;
  if (arguments.step < 0 || arguments.step > last) {
    throw Failure(ExitCode::kWrongUsage, arguments.schedule + ": no step " +
                                             std::to_string(arguments.step) + "; steps are 0 to " +
                                             std::to_string(last));
  }
  const StepExplanation explanation = explainStep(
      problem, schedule, evaluation, static_cast<std::size_t>(arguments.step), arguments.depth);
  printResult(arguments.json ? explanationJson(problem, schedule, explanation)
                             : explanationText(problem, schedule, evaluation, explanation));
  return ExitCode::kDone;
}

}  // namespace

void addExplainCommand(CLI::App& parser, Action& action) {
  const auto arguments = std::make_shared<ExplainArguments>();
  CLI::App& command = *parser.add_subcommand("explain", "Walk through one step of a schedule");
  command.add_option("PROBLEM", arguments->problem, "The problem, JSON")->required();
  command.add_option("SCHEDULE", arguments->schedule, "The schedule, JSON")->required();
  command.add_option("--step", arguments->step, "The step's number, from 0")
      ->required()
      ->type_name("N")
      ->check(CLI::Validator(
          [](const std::string& text) -> std::string {
            std::int64_t number = 0;
            const char* const end = text.data() + text.size();
            const auto [stop, error] = std::from_chars(text.data(), end, number);
            if (error == std::errc() && stop == end) return {};
            return "'" + text + "' is no step; steps are numbered from 0";
          },
          "", ""));
  command.add_flag("--json", arguments->json, "Print JSON");
  addDepthOption(command, arguments->depth);
  command.footer("Example: tilebeam explain problem.json schedule.json --step 0");
  command.callback([&action, arguments] { action = [arguments] { return explain(*arguments); }; });
}

}  // namespace tilebeam::cli
