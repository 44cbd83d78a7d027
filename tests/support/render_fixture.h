// The base of tests of `tilebeam render`: schedules to draw.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "support/program_fixture.h"

namespace tilebeam::test {

class RenderTest : public ProgramTest {
 protected:
  // Of the diamond, in which t2 is retained and op 0 runs twice.
  std::string drawn(const std::string& format) const {
    const RunResult result = tilebeam({"render", problem(), schedule(), "--to", format});
    EXPECT_EQ(result.exitCode, 0) << result.err;
    EXPECT_EQ(result.err, "");
    return result.out;
  }

  std::string problem() const { return file("p.json", kDiamond); }
  std::string schedule() const { return file("s.json", kDiamondSchedule); }

  // A problem and its schedule of some twenty steps, and what the evaluator says of it.
  struct Solved {
    std::string problem;
    std::string schedule;
    nlohmann::json evaluation;
  };
  Solved solved() const {
    Solved made{path("large.json"), path("large-schedule.json"), {}};
    tilebeam({"generate", "gated-mlp", "--ops", "60", "--seed", "5", "-o", made.problem});
    tilebeam({"solve", made.problem, "--max-rounds", "1", "-o", made.schedule});
    made.evaluation =
        nlohmann::json::parse(tilebeam({"evaluate", made.problem, made.schedule, "--json"}).out);
    EXPECT_GT(made.evaluation["steps"].size(), 5U);
    return made;
  }
  std::string drawn(const Solved& made, const std::string& format) const {
    return tilebeam({"render", made.problem, made.schedule, "--to", format}).out;
  }
};

}  // namespace tilebeam::test
