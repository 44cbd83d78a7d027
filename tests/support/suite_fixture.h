// The base of tests that run suites.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/program_fixture.h"

namespace tilebeam::test {

class SuiteTest : public ProgramTest {
 protected:
  // A directory problems with p1, p2 and p10, as the natural order has them.
  void SetUp() override {
    std::filesystem::create_directory(path("problems"));
    int ops = 6;
    for (const char* const name : {"p10", "p2", "p1"}) {
      const RunResult result =
          tilebeam({"generate", "chain", "--ops", std::to_string(ops--), "--seed", "3", "-o",
                    path("problems/" + std::string(name) + ".json")});
      ASSERT_EQ(result.exitCode, 0) << result.err;
    }
  }

  // With a fixed amount of work.
  RunResult suite(std::vector<std::string> arguments, const std::string& paths = "problems") const {
    arguments.insert(arguments.begin(), {"suite", path(paths), "--max-rounds", "1"});
    return tilebeam(arguments);
  }

  // Wall time is all that differs between runs.
  static std::string withoutSeconds(const std::string& csv) {
    constexpr int kSecondsColumn = 6;
    std::string kept;
    bool isHeader = true;
    int column = 0;
    for (const char c : csv) {
      if (c == ',' || c == '\n') {
        ++column;
      }
      if (c == '\n') {
        isHeader = false;
        column = 0;
      }
      if (isHeader || c == ',' || c == '\n' || column != kSecondsColumn) {
        kept += c;
      }
    }
    return kept;
  }

  std::string csv(const std::string& name) const { return withoutSeconds(contentOf(path(name))); }

  nlohmann::json json(const std::string& name) const {
    return nlohmann::json::parse(contentOf(path(name)));
  }
};

}  // namespace tilebeam::test
