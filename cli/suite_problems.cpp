#include "cli/suite_problems.h"

#include <algorithm>
#include <filesystem>

#include "cli/exit_code.h"
#include "cli/natural_order.h"
#include "cli/result_files.h"
#include "cli/streams.h"

namespace tilebeam::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExtension = ".json";

bool isProblemFile(const fs::directory_entry& entry) {
  std::error_code ignored;
  return entry.path().extension() == kExtension &&
         !entry.path().filename().string().starts_with('.') && !entry.is_directory(ignored);
}

std::vector<std::string> filesOf(const std::string& directory) {
  std::vector<std::string> files;
  std::error_code error;
  fs::directory_iterator entry(directory, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (!isProblemFile(*entry)) continue;
    const std::string file = entry->path().string();
    if (isProgramOutput(file)) {
      printLine("tilebeam: " + file + ": left out: a schedule, results or statistics, no problem");
    } else {
      files.push_back(file);
    }
  }
  if (error) {
    throw Failure(ExitCode::kMalformedInput, directory + ": cannot be read: " + error.message());
  }
  if (files.empty()) {
    throw Failure(ExitCode::kMalformedInput, directory + ": no problem (*.json) in this directory");
  }
  return files;
}

void requireDistinct(const std::vector<SuiteProblem>& sorted) {
  const auto twin = std::adjacent_find(
      sorted.begin(), sorted.end(),
      [](const SuiteProblem& a, const SuiteProblem& b) { return a.name == b.name; });
  if (twin == sorted.end()) return;
  throw Failure(ExitCode::kWrongUsage,
                twin->path + " and " + (twin + 1)->path + ": two problems of one name in a suite");
}

}  // namespace

std::string problemName(const std::string& path) {
  const fs::path file = fs::path(path).filename();
  return file.extension() == kExtension ? file.stem().string() : file.string();
}

std::vector<SuiteProblem> listProblems(const std::vector<std::string>& paths) {
  std::vector<SuiteProblem> problems;
  const auto add = [&](const std::string& path) { problems.push_back({problemName(path), path}); };
  for (const std::string& path : paths) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) {
      for (const std::string& file : filesOf(path)) add(file);
    } else {
      add(path);
    }
  }
  std::stable_sort(
      problems.begin(), problems.end(),
      [](const SuiteProblem& a, const SuiteProblem& b) { return naturallyLess(a.name, b.name); });
  requireDistinct(problems);
  return problems;
}

}  // namespace tilebeam::cli
