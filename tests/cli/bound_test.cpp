#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "support/program_fixture.h"

namespace tilebeam::test {
namespace {

using nlohmann::json;
using testing::StartsWith;

using Bound = ProgramTest;

TEST_F(Bound, JsonHoldsTheBestOfItsTerms) {
  const RunResult result = tilebeam({"bound", file("p.json", kDiamond), "--json"});
  EXPECT_EQ(result.exitCode, 0);
  const json object = json::parse(result.out);
  double best = 0;
  for (const json& term : object["terms"]) {
    EXPECT_NE(term["name"], "");
    EXPECT_NE(term["argument"], "");
    best = std::max(best, term["value"].get<double>());
  }
  EXPECT_EQ(object["bound"], best);
  EXPECT_GE(best, 4500);    // each op runs once
  EXPECT_LE(best, 6276.8);  // a schedule that exists
}

TEST_F(Bound, TextIsForPeople) {
  const RunResult result = tilebeam({"bound", file("p.json", kDiamond)});
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_THAT(result.out, StartsWith("lower bound "));
}

}  // namespace
}  // namespace tilebeam::test
