// What the machine manages at most: the same run several times at once, none waiting for another.
#pragma once

#include <string>

#include "cli/scale_study.h"

namespace tilebeam::cli {

struct CopiesSample {
  double seconds = 0;      // until the last was done
  bool identical = false;  // all gave the schedule that was expected
};

// Does `run` so many times at once, each in a thread of its own, that start when all are there.
// With options of one thread: searches in one process share the library's workers, so wider ones
// would wait for each other. Throws what a copy threw, once all have ended.
CopiesSample runCopies(int count, const SolverOptions& options, const ScaleRun& run,
                       const std::string& expected);

}  // namespace tilebeam::cli
