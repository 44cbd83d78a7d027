// Which problems a suite solves, and what they are called in its results.
#pragma once

#include <string>
#include <vector>

namespace tilebeam::cli {

struct SuiteProblem {
  std::string name;  // differs from all others in a suite
  std::string path;
};

// The file's name without directories and .json, however often that stands at its end: results,
// baselines and shards of different machines meet by it, and a name's name is the name itself. ""
// of slashes alone.
// Bytes that are no UTF-8 are escaped.
std::string problemName(const std::string& path);

// The same as a part of another file's name, where it may hold bytes that are no UTF-8.
std::string problemFileName(const std::string& path);

// Files, and for directories the *.json in them, in the natural order of their names; of these,
// what the program wrote itself, pipes and devices are left out, with a line on stderr. Whether the
// files can be read is left to who reads them. Throws Failure for a directory without problems and
// for two problems of one name.
std::vector<SuiteProblem> listProblems(const std::vector<std::string>& paths);

}  // namespace tilebeam::cli
