// What the programs have in common: a parser of the command line, one action, and an exit code.
#pragma once

#include <functional>
#include <string>

#include "cli/exit_code.h"

namespace CLI {
class App;
}

namespace tilebeam::cli {

// The command that the arguments choose. Runs after they have all been parsed and checked.
using Action = std::function<ExitCode()>;

// Adds options to the parser; the chosen command sets the action.
using Definition = std::function<void(CLI::App& parser, Action& action)>;

// All of main(): parses, acts, and turns every failure into one line on stderr and an exit code.
int runProgram(const std::string& name, const std::string& description, int argc, char** argv,
               const Definition& define);

}  // namespace tilebeam::cli
