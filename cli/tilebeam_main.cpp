#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/program.h"

namespace cli = tilebeam::cli;

int main(int argc, char** argv) {
  return cli::runProgram("tilebeam", "Schedules tiled tensor graphs on a two-level memory", argc,
                         argv, [&](CLI::App& parser, cli::Action& action) {
                           parser.require_subcommand(1);
                           cli::addSolveCommand(parser, action, {argv, argv + argc});
                           cli::addEvaluateCommand(parser, action);
                           cli::addBoundCommand(parser, action);
                           cli::addGenerateCommand(parser, action);
                         });
}
