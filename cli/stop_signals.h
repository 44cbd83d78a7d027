// SIGINT, SIGTERM and SIGHUP end a search, not the program.
#pragma once

#include <array>
#include <csignal>
#include <span>

#include "cli/exit_code.h"
#include "tilebeam/solver.h"

namespace tilebeam::cli {

inline constexpr std::array kStopSignals{SIGINT, SIGTERM, SIGHUP};

// Installs the handlers and returns the token that they raise. A second signal ends the program at
// once, as if there were no handler. A SIGHUP that is ignored, as nohup has it, stays so.
CancellationToken& stopOnSignals(std::span<const int> signals = kStopSignals);

// Whether one of them has come.
bool stopRequested();

// The code of a program that was told to stop before it had anything: 128 + the signal's number, as
// shells report it.
ExitCode stoppedCode();

}  // namespace tilebeam::cli
