// SIGINT and SIGTERM end a search, not the program.
#pragma once

#include <csignal>
#include <initializer_list>

#include "tilebeam/solver.h"

namespace tilebeam::cli {

// Installs the handlers and returns the token that they raise. A second signal ends the program at
// once.
CancellationToken& stopOnSignals(std::initializer_list<int> signals = {SIGINT, SIGTERM});

}  // namespace tilebeam::cli
