// Too little memory, wherever it strikes: one line, the documented code, and no part of a file.
#include <gmock/gmock.h>

#include "support/program_fixture.h"

namespace tilebeam::test {
namespace {

using testing::AnyOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

class LittleMemory : public ProgramTest {
 protected:
  void SetUp() override {
    problem_ = path("p.json");
    schedule_ = path("s.json");
    tilebeam({"generate", "random", "--ops", "30", "--seed", "4", "-o", problem_});
    const RunResult solved =
        tilebeam({"solve", problem_, "--max-rounds", "1", "--quiet", "-o", schedule_});
    ASSERT_EQ(solved.exitCode, 0) << solved.err;
  }

  static RunResult within(std::size_t megabytes, const std::vector<std::string>& command) {
    RunSetup setup;
    setup.addressSpace = megabytes * 1'000'000;
    return run(command, setup);
  }

  // One line that says what is wrong; a suite has one more, of what became of the others.
  static void expectClear(const RunResult& result, const std::string& what) {
    EXPECT_EQ(result.signal, 0) << what << result.err;
    if (result.exitCode == 0) return;
    EXPECT_EQ(result.exitCode, 70) << what << result.err;
    std::string text = result.err;
    const std::size_t summary = text.find("tilebeam: 0 problems solved");
    if (summary != std::string::npos) text.resize(summary);
    EXPECT_THAT(text, HasSubstr(": error: ")) << what;
    EXPECT_THAT(text, AnyOf(EndsWith("out of memory\n"), EndsWith(" could be started\n"))) << what;
    EXPECT_EQ(text.find('\n'), text.size() - 1) << what << text;
  }

  std::string problem_;
  std::string schedule_;
};

// Below 10 MB the system's loader cannot start the programs.
TEST_F(LittleMemory, EveryCommand) {
  const std::string& program = tilebeamProgram();
  const std::string output = path("out");
  const std::string small = file("small.json", kDiamond);
  const std::string model = sourceDirectory() + "/benchmarks/models/transformer-block.onnx";
  for (const std::size_t megabytes : {10U, 12U, 14U, 17U, 20U, 28U, 36U, 50U}) {
    for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
             {program, "solve", problem_, "--quiet", "--max-rounds", "1", "-o", output},
             {program, "solve", problem_, "--quiet", "--max-rounds", "1", "--prove", "--time-limit",
              "0.1", "-o", output},
             {program, "evaluate", problem_, schedule_},
             {program, "bound", problem_},
             {program, "import", model, "-o", output},
             {program, "suite", problem_, "--max-rounds", "1"},
             {program, "render", problem_, schedule_, "--to", "html", "-o", output},
             {program, "scale", problem_, "--max-rounds", "1", "--threads", "1,3", "--repeat", "1"},
             {mlsysProgram(), small, output}}) {
      expectClear(within(megabytes, command),
                  std::to_string(megabytes) + " MB, " + command[1] + ": ");
    }
  }
}

// oneTBB's workers start each other, and die of it when one cannot be started.
TEST_F(LittleMemory, TakesFewerThreads) {
  const std::string output = path("out");
  for (const std::size_t megabytes : {16U, 22U, 26U, 30U, 34U, 38U, 42U}) {
    const RunResult result =
        within(megabytes, {tilebeamProgram(), "solve", problem_, "--max-rounds", "2", "--quiet",
                           "--threads", "12", "-o", output});
    expectClear(result, std::to_string(megabytes) + " MB: ");
  }
  const RunResult few = within(45, {tilebeamProgram(), "solve", problem_, "--max-rounds", "2",
                                    "--threads", "12", "-o", output});
  EXPECT_EQ(few.exitCode, 0) << few.err;
  EXPECT_THAT(few.err, HasSubstr("tilebeam: warning: --threads 12: no more than "));
  const RunResult all = within(1000, {tilebeamProgram(), "solve", problem_, "--max-rounds", "2",
                                      "--threads", "12", "-o", path("all")});
  EXPECT_THAT(all.err, Not(HasSubstr("warning")));
  EXPECT_EQ(contentOf(output), contentOf(path("all"))) << "the number of threads does not show";
}

// What was there stays, or a first schedule is.
TEST_F(LittleMemory, LeavesNoPartOfAFile) {
  const std::string problem = path("large.json");
  ASSERT_EQ(
      tilebeam({"generate", "chain", "--ops", "50000", "--seed", "7", "-o", problem}).exitCode, 0);
  const std::string output = file("out.json", "old");
  const std::size_t before = entries();
  for (const std::size_t megabytes : {18U, 22U, 35U, 65U, 80U}) {
    const RunResult result =
        within(megabytes, {tilebeamProgram(), "solve", problem, "--quiet", "--max-rounds", "1",
                           "--threads", "2", "-o", output});
    EXPECT_EQ(result.exitCode, 70);
    expectClear(result, std::to_string(megabytes) + " MB: ");
    const bool untouched = contentOf(output) == "old";
    EXPECT_TRUE(untouched ||
                (megabytes > 22 && tilebeam({"evaluate", problem, output, "--json"}).exitCode == 0))
        << megabytes;
    EXPECT_EQ(entries(), before) << megabytes;
  }
}

#endif

}  // namespace
}  // namespace tilebeam::test
