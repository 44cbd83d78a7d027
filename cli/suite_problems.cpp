#include "cli/suite_problems.h"

#include <algorithm>
#include <filesystem>

#include "cli/exit_code.h"
#include "cli/natural_order.h"
#include "cli/result_files.h"
#include "cli/streams.h"
#include "cli/utf8.h"

namespace tilebeam::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExtension = ".json";

// Sorted, so that what is said of them does not depend on the file system. Links that lead nowhere
// are among them, for whoever reads them to complain of.
std::vector<std::string> jsonFilesIn(const std::string& directory) {
  std::vector<std::string> files;
  std::error_code error;
  fs::directory_iterator entry(directory, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const fs::path& path = entry->path();
    std::error_code ignored;
    if (path.extension() != kExtension || path.filename().string().starts_with('.')) continue;
    if (!entry->is_directory(ignored)) files.push_back(path.string());
  }
  if (error) {
    throw Failure(ExitCode::kMalformedInput, directory + ": cannot be read: " + error.message());
  }
  std::sort(files.begin(), files.end(), naturallyLess);
  return files;
}

// Why a file of a directory is no problem; "" if it is one, as far as one can tell.
std::string whyLeftOut(const std::string& file) {
  // Opened, a pipe would wait for its writer.
  std::error_code ignored;
  const fs::file_status status = fs::status(file, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status)) return "a pipe or a device, no file";
  return isProgramOutput(file) ? "a schedule, results or statistics, no problem" : "";
}

std::vector<std::string> filesOf(const std::string& directory) {
  std::vector<std::string> files;
  for (const std::string& file : jsonFilesIn(directory)) {
    const std::string reason = whyLeftOut(file);
    if (reason.empty()) {
      files.push_back(file);
    } else {
      printLine("tilebeam: " + file + ": left out: " + reason);
    }
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

std::string problemFileName(const std::string& path) {
  const std::size_t end = path.find_last_not_of('/') + 1;
  const fs::path file = fs::path(path.substr(0, end)).filename();
  return file.extension() == kExtension ? file.stem().string() : file.string();
}

std::string problemName(const std::string& path) {
  std::string name = problemFileName(path);
  for (std::string shorter; (shorter = problemFileName(name)) != name;) name = shorter;
  return withBytesEscaped(name);
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
