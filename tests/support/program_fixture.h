// The base of tests that run the programs on files of their own.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "support/json_samples.h"
#include "support/paths.h"
#include "support/subprocess.h"
#include "support/temporary_directory.h"

namespace tilebeam::test {

class ProgramTest : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return directory_.path(name); }

  // Writes a file and returns its path.
  std::string file(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }

  static std::string contentOf(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(path("")), {}));
  }

  static RunResult tilebeam(std::vector<std::string> arguments, const RunSetup& setup = {}) {
    arguments.insert(arguments.begin(), tilebeamProgram());
    return run(arguments, setup);
  }

  static RunResult mlsys(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), mlsysProgram());
    return run(arguments);
  }

 private:
  TemporaryDirectory directory_;
};

}  // namespace tilebeam::test
