// SIGINT and SIGTERM end a search, not the program.
#pragma once

#include <csignal>
#include <initializer_list>

#include "cli/exit_code.h"
#include "tilebeam/solver.h"

namespace tilebeam::cli {

// Installs the handlers and returns the token that they raise. A second signal ends the program at
// once, as if there were no handler.
CancellationToken& stopOnSignals(std::initializer_list<int> signals = {SIGINT, SIGTERM});

// The code of a program that was told to stop before it had anything: 128 + the signal's number, as
// shells report it.
ExitCode stoppedCode();

}  // namespace tilebeam::cli
