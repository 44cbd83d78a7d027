#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/json_values.h"
#include "cli/streams.h"
#include "cli/text_table.h"
#include "tilebeam/lower_bound.h"

namespace tilebeam::cli {
namespace {

struct BoundArguments {
  std::string problem;
  bool json = false;
  DepthReading depth = DepthReading::kNative;
};

std::string boundJson(const LowerBound& bound) {
  Json terms = Json::array();
  for (const BoundTerm& term : bound.terms) {
    terms.push_back(
        {{"name", term.name}, {"value", jsonNumber(term.value)}, {"argument", term.argument}});
  }
  return dumpObject({{"bound", jsonNumber(bound.value)}, {"terms", std::move(terms)}});
}

std::string boundText(const LowerBound& bound) {
  std::string text = "lower bound " + formatNumber(bound.value) + ", the best of\n";
  for (const BoundTerm& term : bound.terms) {
    text += "  " + term.name + " " + formatNumber(term.value) + ": " + term.argument + "\n";
  }
  return text;
}

ExitCode bound(const BoundArguments& arguments) {
  const Problem problem = loadProblem(arguments.problem);
  const LowerBound result = lowerBound(problem, arguments.depth);
  printResult(arguments.json ? boundJson(result) : boundText(result));
  return ExitCode::kDone;
}

}  // namespace

void addBoundCommand(CLI::App& parser, Action& action) {
  const auto arguments = std::make_shared<BoundArguments>();
  CLI::App& command = *parser.add_subcommand("bound", "Bound every schedule's latency from below");
  command.add_option("PROBLEM", arguments->problem, "The problem, JSON")->required();
  command.add_flag("--json", arguments->json, "Print JSON");
  addDepthOption(command, arguments->depth);
  command.footer("Example: tilebeam bound problem.json");
  command.callback([&action, arguments] { action = [arguments] { return bound(*arguments); }; });
}

}  // namespace tilebeam::cli
