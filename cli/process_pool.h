// Many pieces of work at once, each in a process of its own: none can take the others down with it,
// and each has its own thread limit.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "tilebeam/solver.h"

namespace tilebeam::cli {

struct ProcessOutcome {
  std::string output;  // what the work returned
  std::string fault;   // how the process died instead; empty if it did not
};

// Runs in the new process. Must not throw.
using ProcessWork = std::function<std::string(std::size_t index, CancellationToken& stop)>;
using ProcessReport = std::function<void(std::size_t index, const ProcessOutcome& outcome)>;

// Does the pieces 0 to count - 1 in this order, up to `jobs` at a time, and reports each as it
// ends. When `stop` is raised, those that run see theirs raised and the others are never started.
// The caller has one thread, and the signals of stopOnSignals() are its own business, not its
// children's.
void runInProcesses(std::size_t count, int jobs, const CancellationToken& stop,
                    const ProcessWork& work, const ProcessReport& report);

}  // namespace tilebeam::cli
