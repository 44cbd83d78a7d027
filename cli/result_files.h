// Results of a suite as CSV and JSON (docs/file-formats.md).
#pragma once

#include <string>
#include <vector>

#include "cli/suite_row.h"

namespace tilebeam::cli {

std::string resultsCsv(const std::vector<SuiteRow>& rows);

// `arguments`: the whole command line.
std::string resultsJson(const std::vector<SuiteRow>& rows,
                        const std::vector<std::string>& arguments);

// What the two above wrote, or any CSV of problems and latencies. Throws Failure.
std::vector<SuiteRow> loadResults(const std::string& path);

// Whether a JSON file is no problem but one that the program writes: results, statistics or a
// schedule. No if it cannot be read.
bool isProgramOutput(const std::string& path);

// Where results are kept; empty paths are left out.
struct ResultPaths {
  std::string csv;
  std::string json;
};

// Replaces the files whole. Throws Failure(kCannotWrite).
void saveResults(const ResultPaths& paths, const std::vector<SuiteRow>& rows,
                 const std::vector<std::string>& arguments);

}  // namespace tilebeam::cli
