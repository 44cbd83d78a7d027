// A machine that will not cooperate: full disks, closed and broken pipes, directories without write
// permission, little memory, huge files. One line, the documented code, nothing half written.
#include <gmock/gmock.h>
#include <sys/resource.h>

#include <chrono>

#include "support/program_fixture.h"

namespace tilebeam::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class Hardship : public ProgramTest {
 protected:
  std::string generated(const char* kind, const char* ops) const {
    const RunResult result =
        tilebeam({"generate", kind, "--ops", ops, "--seed", "7", "-o", path("generated.json")});
    EXPECT_EQ(result.exitCode, 0) << result.err;
    return path("generated.json");
  }

  static void expectOneLine(const RunResult& result, int code, const std::string& reason) {
    EXPECT_EQ(result.signal, 0);
    EXPECT_EQ(result.exitCode, code) << result.err;
    EXPECT_THAT(result.err, StartsWith("tilebeam: error: "));
    EXPECT_THAT(result.err, HasSubstr(reason));
    EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << result.err;
  }

  // The commands that print their result.
  std::vector<std::vector<std::string>> printing() const {
    const std::string problem = file("p.json", kDiamond);
    return {{"solve", problem, "--max-rounds", "1"},
            {"evaluate", problem, file("s.json", kDiamondSchedule)},
            {"bound", problem, "--json"},
            {"generate", "chain", "--ops", "9"},
            {"suite", problem, "--max-rounds", "1"},
            {"--help"},
            {"--man"}};
  }
};

TEST_F(Hardship, BrokenPipe) {
  for (const auto& arguments : printing()) {
    const RunResult result = tilebeam(arguments, {.stdoutPath = "", .brokenPipe = true});
    expectOneLine(result, 5, "/dev/stdout: cannot be written: Broken pipe\n");
  }
}

TEST_F(Hardship, ClosedStandardOutput) {
  for (const auto& arguments : printing()) {
    const RunResult result = tilebeam(arguments, {.stdoutPath = "", .closeStdout = true});
    expectOneLine(result, 5, "/dev/stdout: cannot be written: Bad file descriptor\n");
  }
}

TEST_F(Hardship, FullDiskBehindStandardOutput) {
  for (const auto& arguments : printing()) {
    const std::vector<std::string>& command = arguments;
    const RunResult result = tilebeam(command, {.stdoutPath = "/dev/full"});
    EXPECT_EQ(result.exitCode, 5) << command[0];
    EXPECT_THAT(result.err, EndsWith("/dev/stdout: cannot be written: No space left on device\n"));
  }
}

// A limit on the size of files fails as a disk does that fills up: in the midst of a file.
TEST_F(Hardship, DiskThatFillsUpLeavesTheOldFile) {
  const std::string problem = generated("chain", "60");
  const std::string output = file("out.json", "old");
  const RunSetup setup{.stdoutPath = "", .largestFile = 1000};
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"generate", "chain", "--ops", "90", "-o", output},
        std::vector<std::string>{"solve", problem, "--quiet", "--max-rounds", "1", "-o", output}}) {
    expectOneLine(tilebeam(arguments, setup), 5, output + ": cannot be written: File too large\n");
    EXPECT_EQ(contentOf(output), "old");
    EXPECT_EQ(entries(), 2U);
  }
}

// No one may make files in /proc, the superuser included.
TEST_F(Hardship, ReadOnlyDirectory) {
  const std::string problem = file("p.json", kDiamond);
  expectOneLine(tilebeam({"solve", problem, "-o", "/proc/s.json"}), 5,
                "/proc/s.json: cannot be written: ");
  expectOneLine(tilebeam({"generate", "chain", "--ops", "9", "-o", "/proc/p.json"}), 5,
                "/proc/p.json: cannot be written: ");
}

TEST_F(Hardship, EveryOutputIsCheckedBeforeTheWork) {
  const std::string problem = generated("transformer", "60");
  const std::string none = path("none/file");
  const auto start = std::chrono::steady_clock::now();
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"solve", problem, "--time-limit", "50", "-o", none},
           {"solve", problem, "--time-limit", "50", "-o", path("s.json"), "--stats", none},
           {"suite", problem, "--time-limit", "50", "--json", none},
           {"scale", problem, "--max-rounds", "100000", "--svg", none},
           {"scale", problem, "--max-rounds", "100000", "--csv", none},
           {"merge", path("unread.csv"), "--csv", none}}) {
    expectOneLine(tilebeam(arguments), 5,
                  none + ": cannot be written: No such file or directory\n");
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  EXPECT_LT(taken.count(), 40);
  EXPECT_EQ(entries(), 1U) << "nothing is written, nothing is left behind";
}

// A full disk, if it is a device, says so before the search; another one at the first schedule.
TEST_F(Hardship, NoSearchGoesOnWithoutItsOutput) {
  const std::string problem = generated("transformer", "60");
  const std::string mayNotGrow = file("out.json", "old");
  const auto start = std::chrono::steady_clock::now();
  for (const std::vector<std::string>& outputs :
       std::vector<std::vector<std::string>>{{"-o", "/dev/full"},
                                             {"-o", path("s.json"), "--stats", "/dev/full"},
                                             {"-o", "/dev/stdout"}}) {
    std::vector<std::string> arguments{"solve", problem, "--time-limit", "50"};
    arguments.insert(arguments.end(), outputs.begin(), outputs.end());
    expectOneLine(tilebeam(arguments, {.stdoutPath = "/dev/full"}), 5,
                  outputs.back() + ": cannot be written: No space left on device\n");
  }
  expectOneLine(tilebeam({"solve", problem, "--time-limit", "50", "-o", mayNotGrow},
                         {.stdoutPath = "", .largestFile = 1000}),
                5, mayNotGrow + ": cannot be written: File too large\n");
  EXPECT_EQ(mlsys({problem, "/dev/full"}).exitCode, 5);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  EXPECT_LT(taken.count(), 40);
}

TEST_F(Hardship, NamesOfDirectoriesAreNoFiles) {
  const std::string problem = file("p.json", kDiamond);
  const std::string start = ": cannot be written: ";
  expectOneLine(tilebeam({"solve", problem, "-o", path("new/")}), 5,
                path("new/") + start + "No such file or directory\n");
  expectOneLine(tilebeam({"solve", problem, "-o", path("")}), 5, start + "Is a directory\n");
  expectOneLine(tilebeam({"solve", problem, "-o", problem + "/"}), 5, start + "Not a directory\n");
}

TEST_F(Hardship, CheckingAnOutputLeavesItAlone) {
  const std::string output = file("out.json", "old");
  const RunResult result = tilebeam({"solve", file("p.json", "{"), "-o", output});
  EXPECT_EQ(result.exitCode, 3);
  EXPECT_EQ(contentOf(output), "old");
  EXPECT_EQ(entries(), 2U);
}

TEST_F(Hardship, TwoHundredMegabytesSlow) {
  const std::string padding(200'000'000, ' ');
  EXPECT_EQ(tilebeam({"bound", file("p.json", padding + kDiamond)}).exitCode, 0);
  const RunResult cut = tilebeam({"bound", file("p.json", padding + kDiamond.substr(0, 100))});
  expectOneLine(cut, 3, "p.json: byte 200000101: not JSON");
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// Every allocation of a second thread was a mapping of its own, thirty times as many pages.
TEST_F(Hardship, LittleMemoryTakesNoMorePages) {
  const std::string problem = generated("random", "200");
  const auto faults = [&](std::size_t addressSpace) {
    struct rusage before {};
    struct rusage after {};
    ::getrusage(RUSAGE_CHILDREN, &before);
    const RunResult result = tilebeam({"solve", problem, "--max-rounds", "2", "--threads", "2"},
                                      {.stdoutPath = "", .addressSpace = addressSpace});
    ::getrusage(RUSAGE_CHILDREN, &after);
    EXPECT_EQ(result.exitCode, 0) << result.err;
    return after.ru_minflt - before.ru_minflt;
  };
  EXPECT_LT(faults(100'000'000), 4 * faults(0));
}

TEST_F(Hardship, AMillionOpsSlow) {
  const std::string problem = generated("chain", "1000000");
  EXPECT_EQ(tilebeam({"bound", problem}).exitCode, 0);
  const RunResult solved = tilebeam({"solve", problem, "--time-limit", "1", "-o", path("s.json")});
  EXPECT_EQ(solved.exitCode, 0) << solved.err;
}
#endif

}  // namespace
}  // namespace tilebeam::test
