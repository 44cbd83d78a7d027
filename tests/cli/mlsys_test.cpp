#include <gmock/gmock.h>

#include "cli/contest_clock.h"
#include "cli/stopwatch.h"
#include "support/program_fixture.h"

namespace tilebeam::test {
namespace {

using Mlsys = ProgramTest;

TEST(ContestClock, StaysBelowTheLimitOfEachSize) {
  EXPECT_DOUBLE_EQ(cli::contestTimeLimit(1, 0), 1.6);
  EXPECT_DOUBLE_EQ(cli::contestTimeLimit(5, 0), 1.6);
  EXPECT_DOUBLE_EQ(cli::contestTimeLimit(6, 0), 4.3);
  EXPECT_DOUBLE_EQ(cli::contestTimeLimit(20, 0.3), 4.0);
  EXPECT_DOUBLE_EQ(cli::contestTimeLimit(32, 0), 13.3);
  EXPECT_DOUBLE_EQ(cli::contestTimeLimit(64, 0), 26.8);
  EXPECT_DOUBLE_EQ(cli::contestTimeLimit(103, 0), 53.8);
  EXPECT_DOUBLE_EQ(cli::contestTimeLimit(104, 0), 107.8);
  EXPECT_GT(cli::contestTimeLimit(1, 100), 0);
}

TEST_F(Mlsys, WritesAValidScheduleInTimeAndSaysNothing) {
  const std::string problem = file("p.json", kDiamond);
  const cli::Stopwatch stopwatch;
  const RunResult result = mlsys({problem, path("s.json")});
  EXPECT_LT(stopwatch.seconds(), 2);
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_EQ(result.out + result.err, "");
  EXPECT_EQ(tilebeam({"evaluate", problem, path("s.json")}).exitCode, 0);
  EXPECT_EQ(entries(), 2U);
}

}  // namespace
}  // namespace tilebeam::test
