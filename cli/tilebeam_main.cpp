#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/early_start.h"
#include "cli/program.h"
#include "cli/stop_signals.h"

namespace cli = tilebeam::cli;

namespace {

// Whatever comes during the start of a search ends in a schedule.
void start(int argc, char** argv, char** /*environment*/) noexcept {
  if (argc > 1 && std::string_view(argv[1]) == "solve") cli::stopOnSignals();
}

TILEBEAM_START_EARLY(start);

}  // namespace

int main(int argc, char** argv) {
  start(argc, argv, nullptr);
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
