// The solver's options, one row each: the flag, its range, and the name in the statistics. What the
// command line takes and what the statistics echo are both made from this table.
#pragma once

#include <cstdint>
#include <span>
#include <variant>

#include "tilebeam/solver.h"

namespace CLI {
class App;
}

namespace tilebeam::cli {

struct OptionRow {
  using Member = std::variant<int SolverOptions::*, std::int64_t SolverOptions::*,
                              double SolverOptions::*, DepthReading SolverOptions::*,
                              FeatureSet SolverOptions::*, bool SolverOptions::*>;

  const char* name;  // in the statistics
  const char* flag;
  const char* help;
  Member member;
  std::int64_t max = 0;  // integers go from 1 to here; seconds from above 0
};

std::span<const OptionRow> optionTable();

// Adds every flag of the table. What the user leaves out keeps its value in `options`.
void addSolverOptions(CLI::App& command, SolverOptions& options);

// After parsing: a fixed number of rounds is done whatever it takes, unless a limit is given too.
void settleTimeLimit(const CLI::App& command, SolverOptions& options);

}  // namespace tilebeam::cli
