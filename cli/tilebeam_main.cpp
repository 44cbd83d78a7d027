#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/program.h"

namespace cli = tilebeam::cli;

int main(int argc, char** argv) {
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
