// Which problems a suite solves, and what they are called in its results.
#pragma once

#include <string>
#include <vector>

namespace tilebeam::cli {

struct SuiteProblem {
  std::string name;  // differs from all others in a suite
  std::string path;
};

// The file's name without .json and directories: results, baselines and shards of different
// machines meet by it.
std::string problemName(const std::string& path);

// Files, and for directories the *.json in them, in the natural order of their names; of these,
// what the program wrote itself is left out, with a line on stderr. Whether the files can be read
// is left to who reads them. Throws Failure for a directory without problems and for two problems
// of one name.
std::vector<SuiteProblem> listProblems(const std::vector<std::string>& paths);

}  // namespace tilebeam::cli
