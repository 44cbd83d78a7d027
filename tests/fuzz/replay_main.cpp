// Puts files through a fuzzer's checks, without libFuzzer: the regression corpus in the tests, or
// one input that the fuzzer found.
// Usage: tilebeam_fuzz_replay problem|schedule|evaluator FILE|DIR...
#include <algorithm>
#include <exception>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "fuzz/checks.h"
#include "tilebeam/json_io.h"

namespace {

namespace fs = std::filesystem;
namespace fuzz = tilebeam::fuzz;

std::vector<std::string> listFiles(const std::string& path) {
  if (!fs::is_directory(path)) return {path};
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(path)) files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

fuzz::Outcome check(const std::string& target, const std::string& content) {
  if (target == "problem") return fuzz::checkProblem(content, {});
  if (target == "schedule") {
    return fuzz::checkSchedule(fuzz::scheduleFuzzerProblem(), content);
  }
  return fuzz::checkEvaluation(
      {reinterpret_cast<const std::uint8_t*>(content.data()), content.size()});
}

// Whether it passes.
bool replay(const std::string& target, const std::string& file) {
  constexpr const char* kNames[] = {"refused", "judged", "compared", "valid"};
  try {
    const fuzz::Outcome outcome = check(target, tilebeam::readFile(file));
    std::cout << file << ": " << kNames[static_cast<int>(outcome)] << '\n';
    return true;
  } catch (const std::exception& error) {
    std::cout << file << ": FAULT: " << error.what() << '\n';
    return false;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const std::vector<std::string> targets{"problem", "schedule", "evaluator"};
  if (arguments.size() < 2 ||
      std::find(targets.begin(), targets.end(), arguments[0]) == targets.end()) {
    std::cerr << "usage: tilebeam_fuzz_replay problem|schedule|evaluator FILE|DIR...\n";
    return 2;
  }
  std::size_t count = 0;
  bool passed = true;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    for (const std::string& file : listFiles(arguments[i])) {
      passed = replay(arguments[0], file) && passed;
      ++count;
    }
  }
  std::cout << count << " inputs\n";
  return passed && count > 0 ? 0 : 1;
}
