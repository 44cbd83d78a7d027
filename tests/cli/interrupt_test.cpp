// Signals end the search, not the program.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "support/paths.h"
#include "support/program_fixture.h"

namespace tilebeam::test {
namespace {

using nlohmann::json;

class Interrupt : public ProgramTest, public testing::WithParamInterface<int> {
 protected:
  void SetUp() override {
    problem_ = path("p.json");
    ASSERT_EQ(tilebeam({"generate", "transformer", "--ops", "200", "-o", problem_}).exitCode, 0);
  }

  // The first incumbent is there.
  void awaitSchedule() const {
    for (int i = 0; i < 3000 && !std::filesystem::exists(path("s.json")); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ASSERT_TRUE(std::filesystem::exists(path("s.json")));
  }

  std::string problem_;
};

TEST_P(Interrupt, SolveKeepsTheIncumbent) {
  Subprocess solver({tilebeamProgram(), "solve", problem_, "--time-limit", "50", "-o",
                     path("s.json"), "--stats", path("stats.json")});
  awaitSchedule();
  solver.signal(GetParam());
  const RunResult result = solver.wait();
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(tilebeam({"evaluate", problem_, path("s.json")}).exitCode, 0);
  EXPECT_EQ(json::parse(contentOf(path("stats.json")))["status"], "interrupted");
  EXPECT_EQ(entries(), 3U);
}

TEST_P(Interrupt, MlsysKeepsTheIncumbent) {
  Subprocess solver({mlsysProgram(), problem_, path("s.json")});
  awaitSchedule();
  solver.signal(GetParam());
  EXPECT_EQ(solver.wait().exitCode, 0);
  EXPECT_EQ(tilebeam({"evaluate", problem_, path("s.json")}).exitCode, 0);
}

TEST_P(Interrupt, ScheduleStillGoesToStdout) {
  Subprocess solver({tilebeamProgram(), "solve", problem_, "--time-limit", "50"});
  solver.awaitHandler(GetParam());
  solver.signal(GetParam());
  const RunResult result = solver.wait();
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_TRUE(json::accept(result.out));
}

// Nobody reads from the pipe that the schedule is to go to.
TEST_P(Interrupt, EndsTheWaitForAReader) {
  const std::string pipe = path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const char* const option : {"-o", "--stats"}) {
    std::vector<std::string> command{tilebeamProgram(), "solve", problem_, "--quiet",
                                     "--max-rounds",    "1",     option,   pipe};
    if (std::string(option) != "-o") command.insert(command.end(), {"-o", path("s.json")});
    Subprocess solver(command);
    solver.awaitHandler(GetParam());
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    solver.signal(GetParam());
    const RunResult result = solver.wait();
    EXPECT_EQ(result.exitCode, 5) << option;
    EXPECT_EQ(result.err,
              "tilebeam: error: " + pipe + ": cannot be written: nobody reads from it\n");
  }
}

TEST_P(Interrupt, AReaderMayComeLate) {
  const std::string pipe = path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  Subprocess solver(
      {tilebeamProgram(), "solve", problem_, "--quiet", "--max-rounds", "1", "-o", pipe});
  solver.awaitHandler(GetParam());
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_TRUE(json::accept(contentOf(pipe)));
  EXPECT_EQ(solver.wait().exitCode, 0);
}

// The problem is a pipe, so that the signal certainly comes before there is any schedule.
class EarlyInterrupt : public ProgramTest, public testing::WithParamInterface<int> {
 protected:
  void SetUp() override {
    pipe_ = path("pipe");
    ASSERT_EQ(::mkfifo(pipe_.c_str(), 0600), 0);
    // For reading too: neither end waits for the other.
    end_ = ::open(pipe_.c_str(), O_RDWR | O_CLOEXEC);
    ASSERT_GE(end_, 0);
  }

  void TearDown() override { closePipe(); }

  void closePipe() {
    if (end_ >= 0) ::close(std::exchange(end_, -1));
  }

  std::vector<std::string> command() const {
    return {tilebeamProgram(), "solve", pipe_, "-o", path("s.json"), "--stats", path("stats.json")};
  }

  void write(const std::string& text) const {
    EXPECT_EQ(::write(end_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }

  // Returns once the program, which has its handlers before anything else, reads from the pipe.
  void awaitReader() const {
    write(" ");
    int unread = 1;
    for (int i = 0; unread > 0 && i < 3000; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      ASSERT_EQ(::ioctl(end_, FIONREAD, &unread), 0);
    }
  }

  // Stopped, the program finds the problem and the signal together when it goes on.
  RunResult interruptedWhileReading(const std::string& problem) {
    Subprocess solver(command());
    awaitReader();
    solver.signal(SIGSTOP);
    write(problem);
    closePipe();
    solver.signal(GetParam());
    solver.signal(SIGCONT);
    return solver.wait();
  }

  std::string pipe_;
  int end_ = -1;
};

// Half a problem and no more; or nothing, from a pipe that nobody has opened to write.
TEST_P(EarlyInterrupt, EndsTheWaitForTheProblem) {
  for (const bool opened : {true, false}) {
    if (!opened) closePipe();
    Subprocess solver(command());
    if (opened) write(kDiamond.substr(0, 50));
    solver.awaitHandler(GetParam());
    std::this_thread::sleep_for(std::chrono::milliseconds(opened ? 50 : 0));
    const auto start = std::chrono::steady_clock::now();
    solver.signal(GetParam());
    const RunResult result = solver.wait();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    EXPECT_LT(taken.count(), 20);
    EXPECT_EQ(result.exitCode, 128 + GetParam());
    EXPECT_EQ(result.err, "tilebeam: error: " + pipe_ + ": interrupted before it was read\n");
    EXPECT_EQ(entries(), 1U);
  }
}

TEST_P(EarlyInterrupt, StillGivesAFirstSchedule) {
  const std::string problem = path("p.json");
  ASSERT_EQ(tilebeam({"generate", "random", "--ops", "40", "-o", problem}).exitCode, 0);
  const RunResult result = interruptedWhileReading(contentOf(problem));
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(tilebeam({"evaluate", problem, path("s.json")}).exitCode, 0);
  EXPECT_EQ(json::parse(contentOf(path("stats.json")))["status"], "interrupted");
}

TEST_P(EarlyInterrupt, IsNotCalledInfeasible) {
  const RunResult result = interruptedWhileReading(replaced(kDiamond, "50000", "1"));  // no op fits
  EXPECT_EQ(result.exitCode, 128 + GetParam());
  EXPECT_EQ(result.err,
            "tilebeam: error: " + path("pipe") + ": interrupted before any schedule was found\n");
  EXPECT_FALSE(std::filesystem::exists(path("s.json")));
}

TEST_P(Interrupt, ASecondSignalEndsTheProgramAtOnce) {
  Subprocess solver(
      {tilebeamProgram(), "solve", problem_, "--time-limit", "50", "-o", path("s.json")});
  awaitSchedule();
  // Stopped, it finds both signals when it goes on, often on two threads, and has no time to end in
  // good order.
  solver.signal(SIGSTOP);
  solver.awaitStopped();
  solver.signal(SIGINT);
  solver.signal(SIGTERM);
  solver.signal(SIGCONT);
  const RunResult result = solver.wait();
  EXPECT_TRUE(result.signal == SIGINT || result.signal == SIGTERM) << result.exitCode;
  EXPECT_EQ(tilebeam({"evaluate", problem_, path("s.json")}).exitCode, 0);
  EXPECT_LE(entries(), 3U) << "more than the temporary file of the write under way";
}

INSTANTIATE_TEST_SUITE_P(Signals, EarlyInterrupt, testing::Values(SIGINT, SIGTERM, SIGHUP));
INSTANTIATE_TEST_SUITE_P(Signals, Interrupt, testing::Values(SIGINT, SIGTERM, SIGHUP));

using Start = ProgramTest;

TEST_F(Start, AScalingStudySaysThatItWasInterrupted) {
  const std::string problem = path("p.json");
  ASSERT_EQ(tilebeam({"generate", "random", "--ops", "40", "-o", problem}).exitCode, 0);
  Subprocess study({tilebeamProgram(), "scale", problem, "--threads", "1", "--max-rounds",
                    "1000000", "--csv", path("r.csv")});
  study.awaitHandler(SIGTERM);
  study.signal(SIGTERM);
  const RunResult result = study.wait();
  EXPECT_EQ(result.exitCode, 128 + SIGTERM);
  EXPECT_EQ(result.err,
            "tilebeam: error: " + problem + ": interrupted before all combinations were run\n");
  EXPECT_EQ(entries(), 1U);
}

// A broken file in the way of the library stands for one that is not there.
TEST_F(Start, WithoutClpOnlyProofsFail) {
  const std::string problem = file("p.json", kDiamond);
  file("libClp.so.1", "");
  RunSetup setup;
  setup.environment = {"LD_LIBRARY_PATH=" + path("")};
  const RunResult proof = tilebeam({"solve", problem, "--prove", "-o", path("s.json")}, setup);
  EXPECT_EQ(proof.exitCode, 70);
  EXPECT_THAT(proof.err, testing::StartsWith("tilebeam: error: the exact search (prove) needs Clp, "
                                             "Debian's coinor-libclp1: "));
  EXPECT_EQ(tilebeam({"solve", problem, "--max-rounds", "1", "-o", path("s.json")}, setup).exitCode,
            0);
}

// As nohup starts it.
TEST_F(Start, AnIgnoredHangUpStaysIgnored) {
  const std::string problem = path("p.json");
  ASSERT_EQ(tilebeam({"generate", "random", "--ops", "40", "-o", problem}).exitCode, 0);
  Subprocess solver({"/bin/sh", "-c", "trap '' HUP; exec \"$0\" \"$@\"", tilebeamProgram(), "solve",
                     problem, "--max-rounds", "3", "-o", path("s.json"), "--stats",
                     path("stats.json")});
  solver.awaitHandler(SIGTERM);
  solver.signal(SIGHUP);
  EXPECT_EQ(solver.wait().exitCode, 0);
  EXPECT_NE(json::parse(contentOf(path("stats.json")))["status"], "interrupted");
}

// What is loaded before main() is time in which a signal finds no handler.
TEST_F(Start, LoadsNothingThatOnlySomeCommandsNeed) {
  RunSetup setup;
  setup.environment = {"LD_TRACE_LOADED_OBJECTS=1"};
  for (const std::string& program : {tilebeamProgram(), mlsysProgram()}) {
    const RunResult loaded = run({program}, setup);
    EXPECT_THAT(loaded.out, testing::HasSubstr("libtbb"));
    for (const char* const library : {"onnx", "protobuf", "Clp", "lapack", "gfortran"}) {
      EXPECT_THAT(loaded.out, testing::Not(testing::HasSubstr(library))) << program;
    }
  }
}

}  // namespace
}  // namespace tilebeam::test
