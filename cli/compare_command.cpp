#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/compare_report.h"
#include "cli/evaluation_report.h"
#include "cli/streams.h"

namespace tilebeam::cli {
namespace {

struct CompareArguments {
  std::string problem;
  std::string a;
  std::string b;
  bool json = false;
  DepthReading depth = DepthReading::kNative;
};

ExitCode compare(const CompareArguments& arguments) {
  const Problem problem = loadProblem(arguments.problem);
  const Schedule scheduleA = loadSchedule(arguments.a);
  const Schedule scheduleB = loadSchedule(arguments.b);
  const Evaluation evaluationA = requireValid(problem, scheduleA, arguments.a, arguments.depth);
  const Evaluation evaluationB = requireValid(problem, scheduleB, arguments.b, arguments.depth);
  const JudgedSchedule a{scheduleA, evaluationA};
  const JudgedSchedule b{scheduleB, evaluationB};
  const std::vector<Segment> segments = alignSchedules(problem, a, b);
  printResult(arguments.json ? comparisonJson(a, b, segments)
                             : comparisonText(problem, a, b, segments));
  return ExitCode::kDone;
}

}  // namespace

void addCompareCommand(CLI::App& parser, Action& action) {
  const auto arguments = std::make_shared<CompareArguments>();
  CLI::App& command =
      *parser.add_subcommand("compare", "Where two schedules differ, and what that costs");
  command.add_option("PROBLEM", arguments->problem, "The problem, JSON")->required();
  command.add_option("A", arguments->a, "A schedule, JSON")->required();
  command.add_option("B", arguments->b, "Another schedule, JSON")->required();
  command.add_flag("--json", arguments->json, "Print JSON");
  addDepthOption(command, arguments->depth);
  command.footer("Example: tilebeam compare problem.json first.json second.json");
  command.callback([&action, arguments] { action = [arguments] { return compare(*arguments); }; });
}

}  // namespace tilebeam::cli
