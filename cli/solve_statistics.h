// What `tilebeam solve --stats` writes: all that is needed to judge a run, or to repeat it.
#pragma once

#include <string>
#include <vector>

#include "tilebeam/solver.h"

namespace tilebeam::cli {

struct SolveRun {
  std::vector<std::string> arguments;  // the whole command line
  std::string problemPath;
  const Problem& problem;
  const SolveResult& result;
  double readSeconds = 0;
  double totalSeconds = 0;
};

std::string statisticsJson(const SolveRun& run);

}  // namespace tilebeam::cli
