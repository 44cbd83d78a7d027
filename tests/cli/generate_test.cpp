#include <gmock/gmock.h>

#include "benchmarks/generator/generator.h"
#include "support/program_fixture.h"
#include "tilebeam/json_io.h"

namespace tilebeam::test {
namespace {

using testing::HasSubstr;

using Generate = ProgramTest;

TEST_F(Generate, ListsEveryKind) {
  const RunResult result = tilebeam({"generate", "--list"});
  EXPECT_EQ(result.exitCode, 0);
  for (const auto& kind : generator::kinds()) EXPECT_THAT(result.out, HasSubstr(kind.name + " ("));
}

TEST_F(Generate, EveryKindMakesAProblemOfTheSizeAskedFor) {
  for (const auto& kind : generator::kinds()) {
    const int ops = std::min(24, kind.maxOps);
    const RunResult result = tilebeam({"generate", kind.name, "--ops", std::to_string(ops)});
    ASSERT_EQ(result.exitCode, 0) << kind.name << result.err;
    EXPECT_EQ(parseProblem(result.out).opCount(), static_cast<std::size_t>(ops)) << kind.name;
  }
}

TEST_F(Generate, DependsOnItsArgumentsAlone) {
  const std::string kind = generator::kinds().front().name;
  const auto text = [&](const char* seed, const char* memory) {
    return tilebeam({"generate", kind, "--ops", "30", "--seed", seed, "--memory", memory}).out;
  };
  EXPECT_EQ(text("1", "tight"), text("1", "tight"));
  EXPECT_NE(text("1", "tight"), text("2", "tight"));
  EXPECT_NE(text("1", "tight"), text("1", "roomy"));
}

TEST_F(Generate, FileAndStdoutGetTheSameBytes) {
  const std::string kind = generator::kinds().front().name;
  EXPECT_EQ(tilebeam({"generate", kind, "--ops", "9", "-o", path("p.json")}).out, "");
  EXPECT_EQ(tilebeam({"generate", kind, "--ops", "9"}).out, contentOf(path("p.json")));
}

TEST_F(Generate, ADashIsStandardOutput) {
  const std::string kind = generator::kinds().front().name;
  const RunResult result = tilebeam({"generate", kind, "--ops", "9", "-o", "-"});
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(result.out, tilebeam({"generate", kind, "--ops", "9"}).out);
  EXPECT_FALSE(std::filesystem::exists("-"));
  const std::string problem = file("p.json", result.out);
  const RunResult solved = tilebeam(
      {"solve", problem, "--max-rounds", "1", "--stats", "-", "-o", path("s.json"), "--quiet"});
  EXPECT_EQ(solved.exitCode, 0) << solved.err;
  EXPECT_EQ(solved.out.find("{\n  \"version\""), 0U);
  // One place for two things.
  EXPECT_EQ(tilebeam({"solve", problem, "--max-rounds", "1", "--stats", "-", "-o", "-"}).exitCode,
            2);
}

TEST_F(Generate, KindsThatThereAreNot) {
  EXPECT_EQ(
      tilebeam({"generate", "chian", "--ops", "9"}).err,
      "tilebeam: error: unknown kind 'chian'; did you mean chain? (--list names the kinds)\n");
  EXPECT_EQ(tilebeam({"generate", "bogus", "--ops", "9"}).err,
            "tilebeam: error: unknown kind 'bogus' (--list names the kinds)\n");
}

TEST_F(Generate, UnwritableOutput) {
  const RunResult result = tilebeam(
      {"generate", generator::kinds().front().name, "--ops", "9", "-o", path("none/p.json")});
  EXPECT_EQ(result.exitCode, 5);
}

}  // namespace
}  // namespace tilebeam::test
