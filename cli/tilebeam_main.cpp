#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/program.h"
#include "cli/stop_signals.h"

namespace cli = tilebeam::cli;

int main(int argc, char** argv) {
  // Before anything else: whatever comes during the start of a search ends in a schedule.
  if (argc > 1 && std::string_view(argv[1]) == "solve") cli::stopOnSignals();
  return cli::runProgram("tilebeam", "Schedules tiled tensor graphs on a two-level memory", argc,
                         argv, [&](CLI::App& parser, cli::Action& action) {
                           parser.require_subcommand(1);
                           const std::vector<std::string> commandLine(argv, argv + argc);
                           cli::addSolveCommand(parser, action, commandLine);
                           cli::addSuiteCommand(parser, action, commandLine);
                           cli::addMergeCommand(parser, action, commandLine);
                           cli::addScaleCommand(parser, action);
                           cli::addEvaluateCommand(parser, action);
                           cli::addCompareCommand(parser, action);
                           cli::addExplainCommand(parser, action);
                           cli::addBoundCommand(parser, action);
                           cli::addRenderCommand(parser, action);
                           cli::addGenerateCommand(parser, action);
                           cli::addImportCommand(parser, action);
                         });
}
