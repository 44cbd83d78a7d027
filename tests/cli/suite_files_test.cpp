// Which files of a directory a suite takes, and which it may write.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <algorithm>

#include "support/suite_fixture.h"

namespace tilebeam::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

using SuiteFiles = SuiteTest;

TEST_F(SuiteFiles, WhatTheProgramWroteIsNoProblem) {
  const std::string problem = path("problems/p1.json");
  ASSERT_EQ(suite({"--json", path("problems/results.json")}).exitCode, 0);
  ASSERT_EQ(tilebeam({"solve", problem, "--max-rounds", "1", "-o", path("problems/schedule.json"),
                      "--stats", path("problems/stats.json")})
                .exitCode,
            0);
  const RunResult result = suite({"--json", path("problems/results.json")});
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("3 problems solved, 0 failed"));
  for (const char* const name : {"results", "schedule", "stats"}) {
    EXPECT_THAT(result.err, HasSubstr("tilebeam: " + path("problems/") + name +
                                      ".json: left out: a schedule, results or statistics, no "
                                      "problem\n"));
  }
  // Named by itself, it is what it is.
  EXPECT_EQ(tilebeam({"suite", path("problems/schedule.json")}).exitCode, 3);
}

// A key that is none of ours makes no problem of it.
TEST_F(SuiteFiles, AProblemMayHaveAVersion) {
  const std::string problem = contentOf(path("problems/p1.json"));
  file("problems/p3.json", "{\"version\": \"2\", \"arguments\": [], " + problem.substr(1));
  EXPECT_THAT(suite({}).err, HasSubstr("4 problems solved, 0 failed"));
}

TEST_F(SuiteFiles, SchedulesReplaceNoInputWhateverTheirNames) {
  std::filesystem::create_directory(path("o"));
  const std::string baseline = file("o/p1.json", "p1,5\n");
  EXPECT_EQ(suite({"--baseline", baseline, "--output-dir", path("o")}).exitCode, 2);
  EXPECT_EQ(contentOf(baseline), "p1,5\n");

  const std::string problem = path("problems/p2.json");
  const std::string before = contentOf(problem);
  std::filesystem::remove(baseline);
  std::filesystem::create_symlink(problem, path("o/p1.json"));
  EXPECT_EQ(suite({"--output-dir", path("o")}).exitCode, 2);
  EXPECT_EQ(contentOf(problem), before);

  std::filesystem::remove(path("o/p1.json"));
  file("o/p2.json", "");
  std::filesystem::create_symlink(path("o/p2.json"), path("o/p1.json"));
  const RunResult same = suite({"--output-dir", path("o")});
  EXPECT_EQ(same.exitCode, 2);
  EXPECT_THAT(same.err, HasSubstr("outputs need a file each"));
}

// Links that lead nowhere yet, to one and the same place.
TEST_F(SuiteFiles, SchedulesBehindDanglingLinksNeedAFileEach) {
  std::filesystem::create_directory(path("o"));
  std::filesystem::create_symlink(path("target.json"), path("o/p1.json"));
  std::filesystem::create_symlink(path("o/../target.json"), path("o/p10.json"));
  const RunResult same = suite({"--output-dir", path("o")});
  EXPECT_EQ(same.exitCode, 2);
  EXPECT_EQ(same.err, "tilebeam: error: " + path("o/p10.json") + ": is the same file as " +
                          path("o/p1.json") + "; outputs need a file each\n");
  EXPECT_EQ(suite({"--output-dir", path("o"), "--csv", path("target.json")}).exitCode, 2);
  EXPECT_FALSE(std::filesystem::exists(path("target.json")));
}

TEST_F(SuiteFiles, ResultsMayGoWhereTheSchedulesGo) {
  EXPECT_EQ(suite({"--output-dir", path("new"), "--csv", path("new/r.csv")}).exitCode, 0);
  EXPECT_TRUE(std::filesystem::exists(path("new/r.csv")));
}

TEST_F(SuiteFiles, UnwritableOutputs) {
  for (const char* const option : {"--csv", "--json"}) {
    const RunResult result = suite({option, path("none/r")});
    EXPECT_EQ(result.exitCode, 5);
    EXPECT_EQ(result.err, "tilebeam: error: " + path("none/r") +
                              ": cannot be written: No such file or directory\n")
        << "before any work";
  }
  EXPECT_EQ(suite({"--output-dir", path("problems/p1.json")}).exitCode, 5);
  EXPECT_EQ(suite({"--csv", "/dev/full"}).exitCode, 5);
}

// What was found is not lost with the table, which goes to a file that may not grow any more.
TEST_F(SuiteFiles, FilesAreWrittenThoughStandardOutputIsNot) {
  RunSetup setup;
  setup.largestFile = 4096;
  const std::string full = file("full", std::string(setup.largestFile, ' '));
  const RunResult result =
      run({"/bin/sh", "-c", "exec \"$0\" \"$@\" >> " + full, tilebeamProgram(), "suite",
           path("problems"), "--max-rounds", "1", "--csv", path("r.csv")},
          setup);
  EXPECT_EQ(result.exitCode, 5);
  EXPECT_THAT(result.err, HasSubstr("/dev/stdout: cannot be written: File too large\n"));
  const std::string rows = contentOf(path("r.csv"));
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 4) << rows;
}

// A pipe would be waited for; named by itself, it is read.
TEST_F(SuiteFiles, PipesOfADirectoryAreLeftOut) {
  const std::string pipe = path("problems/p0.json");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::filesystem::create_symlink("/dev/zero", path("problems/p5.json"));
  file("problems/p3.json", "{\"subgraphs\": []}");
  const RunResult result = suite({});
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_THAT(result.err,
              StartsWith("tilebeam: " + pipe + ": left out: a pipe or a device, no file\n" +
                         "tilebeam: " + path("problems/p3.json") +
                         ": left out: a schedule, results or statistics, no problem\n" +
                         "tilebeam: " + path("problems/p5.json") +
                         ": left out: a pipe or a device, no file\n"));
  const RunResult named = run({"/bin/sh", "-c", "cat \"$1\" > \"$2\" & exec \"$0\" suite \"$2\"",
                               tilebeamProgram(), path("problems/p1.json"), pipe});
  EXPECT_EQ(named.exitCode, 0) << named.err;
}

// A slash behind it does not take a file its name.
TEST_F(SuiteFiles, NamesThatEndWithASlash) {
  const RunResult result = suite({"--json", path("r.json")}, "problems/p1.json/");
  EXPECT_EQ(result.exitCode, 3);
  EXPECT_THAT(result.err, StartsWith("tilebeam: error: " + path("problems/p1.json/") +
                                     ": cannot be read: Not a directory\n"));
  EXPECT_EQ(json("r.json")["problems"][0]["problem"], "p1");
}

// Results of these could not be told apart.
TEST_F(SuiteFiles, NamesThatDifferByTheirEndAlone) {
  std::filesystem::copy(path("problems/p1.json"), path("problems/p1.json.json"));
  const RunResult result = suite({});
  EXPECT_EQ(result.exitCode, 2);
  EXPECT_THAT(result.err, testing::EndsWith(": two problems of one name in a suite\n"));
}

// Different names stay different, in whatever file they come back from.
TEST_F(SuiteFiles, NamesThatAreNoUtf8) {
  for (const char* const name : {"problems/\xFE.json", "problems/\xFF.json"}) {
    std::filesystem::copy(path("problems/p1.json"), path(name));
  }
  ASSERT_EQ(
      suite({"--csv", path("r.csv"), "--json", path("r.json"), "--output-dir", path("o")}).exitCode,
      0);
  EXPECT_TRUE(std::filesystem::exists(path("o/\xFE.json")));
  EXPECT_EQ(json("r.json")["problems"][1]["problem"], "\\xFF");
  EXPECT_THAT(contentOf(path("r.csv")), HasSubstr("\n\\xFE,"));
  for (const char* const name : {"r.csv", "r.json"}) {
    EXPECT_THAT(suite({"--baseline", path(name)}).out, HasSubstr("over 5 of 5 problems"));
    EXPECT_EQ(tilebeam({"merge", path(name)}).exitCode, 0);
  }
  const RunResult none = tilebeam({"bound", path("\xFD.json")});
  EXPECT_EQ(none.err,
            "tilebeam: error: " + path("?.json") + ": cannot be read: No such file or directory\n");
}

}  // namespace
}  // namespace tilebeam::test
