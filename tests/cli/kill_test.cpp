// A run that is killed at any moment leaves a valid schedule, never a torn file.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <random>
#include <thread>

#include "support/paths.h"
#include "support/program_fixture.h"
#include "tilebeam/json_io.h"
#include "tilebeam/schedule_evaluator.h"

namespace tilebeam::test {
namespace {

struct Campaign {
  const char* name;
  bool contest;  // mlsys, else tilebeam solve
  int signal;
};

int fromEnvironment(const char* name, int otherwise) {
  const char* const wanted = std::getenv(name);
  return wanted != nullptr ? std::atoi(wanted) : otherwise;
}

// How often each program is killed, and in how many first milliseconds of its life.
int kills() { return fromEnvironment("TILEBEAM_KILLS", 20); }
int span() { return fromEnvironment("TILEBEAM_KILL_SPAN", 150); }

class Kill : public ProgramTest, public testing::WithParamInterface<Campaign> {
 protected:
  struct Victim {
    std::string path;
    Problem problem;
  };

  void SetUp() override {
    for (const auto& [kind, ops] :
         {std::pair{"transformer", "200"}, {"random", "60"}, {"ragged", "120"}, {"moe", "2000"}}) {
      const std::string problem = path(std::string(kind) + ".json");
      ASSERT_EQ(tilebeam({"generate", kind, "--ops", ops, "-o", problem}).exitCode, 0);
      victims_.push_back({problem, parseProblem(readFile(problem))});
    }
  }

  std::vector<std::string> commandFor(const Victim& victim) const {
    if (GetParam().contest) return {mlsysProgram(), victim.path, schedule()};
    return {tilebeamProgram(), "solve",  victim.path, "--time-limit", "50", "-o",
            schedule(),        "--quiet"};
  }

  std::string schedule() const { return path("s.json"); }

  // Kills one run: from its start, or from its first schedule on.
  RunResult killOne(const Victim& victim, bool afterFirst) {
    std::filesystem::remove(schedule());
    Subprocess program(commandFor(victim));
    if (afterFirst) {
      for (int i = 0; i < 60000 && !std::filesystem::exists(schedule()); ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    }
    std::this_thread::sleep_for(
        std::chrono::microseconds(std::uniform_int_distribution<int>(0, 1000 * span())(random_)));
    program.signal(GetParam().signal);
    return program.wait();
  }

  int clearTemporaryFiles() const {
    int cleared = 0;
    for (const auto& entry : std::filesystem::directory_iterator(path(""))) {
      if (entry.path().extension() != ".json") cleared += std::filesystem::remove(entry) ? 1 : 0;
    }
    return cleared;
  }

  std::vector<Victim> victims_;
  std::mt19937 random_{std::random_device{}()};
};

TEST_P(Kill, LeavesAValidSchedule) {
  int none = 0;
  int leftovers = 0;
  for (int i = 0; i < kills(); ++i) {
    const Victim& victim = victims_[static_cast<std::size_t>(i / 2) % victims_.size()];
    const bool afterFirst = i % 2 == 0;
    const RunResult result = killOne(victim, afterFirst);
    const bool there = std::filesystem::exists(schedule());
    if (there) {
      const Schedule left = parseSchedule(readFile(schedule()));  // throws if it is torn
      EXPECT_TRUE(ScheduleEvaluator(victim.problem).evaluate(left).valid());
    }
    none += there ? 0 : 1;
    EXPECT_TRUE(there || !afterFirst);
    if (GetParam().signal != SIGKILL) {
      // Nothing is left only if the signal came before the program could prepare for it.
      EXPECT_EQ(result.exitCode, there ? 0 : -1) << result.err;
    }
    leftovers += clearTemporaryFiles();
  }
  std::cout << GetParam().name << ": " << kills() << " kills, " << none
            << " before the first schedule, " << leftovers << " temporary files left\n";
  // SIGKILL may strike between a file's naming and its renaming, which files_test.cpp looks at too:
  // less than one in 200 does, on a busy machine.
  EXPECT_LE(leftovers, GetParam().signal == SIGKILL ? 2 + kills() / 50 : 0);
}

INSTANTIATE_TEST_SUITE_P(Campaigns, Kill,
                         testing::Values(Campaign{"MlsysKill", true, SIGKILL},
                                         Campaign{"MlsysTerminate", true, SIGTERM},
                                         Campaign{"SolveTerminate", false, SIGTERM}),
                         [](const auto& campaign) { return std::string(campaign.param.name); });

}  // namespace
}  // namespace tilebeam::test
