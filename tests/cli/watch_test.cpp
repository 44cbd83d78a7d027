// What `solve` shows of a run on stderr.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "support/program_fixture.h"

namespace tilebeam::test {
namespace {

using testing::Each;
using testing::EndsWith;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

const std::string kErased = "\r\x1b[K";
const std::string kBold = "\x1b[1m";

class Watch : public ProgramTest {
 protected:
  void SetUp() override {
    problem_ = path("p.json");
    ASSERT_EQ(tilebeam({"generate", "random", "--ops", "60", "-o", problem_}).exitCode, 0);
  }

  RunResult solve(std::vector<std::string> options, const RunSetup& setup = {}) const {
    options.insert(options.begin(), {"solve", problem_, "-o", path("s.json")});
    RunResult result = tilebeam(options, setup);
    EXPECT_EQ(result.exitCode, 0) << result.err;
    return result;
  }

  static std::vector<std::string> lines(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> list;
    for (std::string line; std::getline(in, line);) list.push_back(line);
    return list;
  }

  RunResult onTerminal(std::vector<std::string> environment,
                       const std::vector<std::string>& more = {}) const {
    RunSetup setup;
    setup.terminal = true;
    setup.environment = std::move(environment);
    std::vector<std::string> options{"--max-rounds", "4"};
    options.insert(options.end(), more.begin(), more.end());
    return solve(options, setup);
  }

  std::string problem_;
};

TEST_F(Watch, PipedItIsATableOfIncumbents) {
  const RunResult result = solve({"--max-rounds", "4", "--stats", path("stats.json")});
  const auto stats = nlohmann::json::parse(contentOf(path("stats.json")));
  std::vector<std::string> found = lines(result.err);
  ASSERT_EQ(found.size(), stats["incumbents"].size() + 2) << result.err;
  EXPECT_THAT(found.front(), MatchesRegex(" +time +incumbent +bound +gap +round +found by"));
  EXPECT_THAT(found.back(), StartsWith("tilebeam: " + problem_ + ": latency "));
  found.pop_back();
  found.erase(found.begin());
  EXPECT_THAT(found, Each(MatchesRegex(" +[0-9.]+ s +[0-9.]+ +[0-9.]+ +[0-9.]+ % +[0-9]+  .+")));
  EXPECT_THAT(found.front(), EndsWith("single ops"));
  EXPECT_THAT(result.err, Not(HasSubstr("\x1b")));
}

TEST_F(Watch, ARisingBoundIsARow) {
  // Eight rounds of incumbents, then the proof.
  ASSERT_EQ(tilebeam({"generate", "tiny", "--ops", "6", "--seed", "1", "-o", problem_}).exitCode,
            0);
  const RunResult result = solve({"--max-rounds", "8", "--prove", "--stats", path("stats.json")});
  const auto stats = nlohmann::json::parse(contentOf(path("stats.json")));
  const bool raised = stats["bound"] > stats["incumbents"].back()["bound"];
  EXPECT_TRUE(raised) << "choose another problem";
  EXPECT_THAT(lines(result.err)[lines(result.err).size() - 2], EndsWith("  proof"));
}

TEST_F(Watch, LevelsSayLessAndMore) {
  EXPECT_EQ(solve({"--max-rounds", "1", "--quiet"}).err, "");
  EXPECT_EQ(solve({"--max-rounds", "1", "--log-level", "error"}).err, "");
  EXPECT_EQ(solve({"--max-rounds", "1", "--log-level", "warning"}).err, "");
  EXPECT_THAT(solve({"--max-rounds", "4", "--log-level", "debug"}).err,
              testing::ContainsRegex("\ntilebeam: debug: [0-9.]+ s: r[0-9]+ [a-z ]+"));
}

TEST_F(Watch, WarningsOfTheInitialScheduleHaveALevel) {
  problem_ = file("d.json", kDiamond);
  const std::string initial = file("i.json", replaced(kDiamondSchedule, "[3000,", "[2999,"));
  const auto err = [&](const char* level) {
    return solve({"--max-rounds", "1", "--initial", initial, "--log-level", level}).err;
  };
  EXPECT_EQ(err("warning"),
            "tilebeam: warning: " + initial + ": step 0: reports latency 2999, but takes 3000\n");
  EXPECT_EQ(err("error"), "");
}

TEST_F(Watch, ATerminalHasOneLiveLine) {
  const RunResult result = onTerminal({"TERM=xterm", "NO_COLOR="});
  EXPECT_THAT(result.err, testing::ContainsRegex("\r[0-9.]+ s  \x1b\\[1m"));
  EXPECT_THAT(result.err, HasSubstr("\x1b[K"));
  EXPECT_THAT(result.err, HasSubstr(kErased + "tilebeam: " + problem_ + ": latency "));
  EXPECT_THAT(result.err, Not(HasSubstr("found by")));
  EXPECT_EQ(lines(result.err).size(), 1U) << "all but the summary is erased";
}

TEST_F(Watch, NoColourWhereItIsNotWanted) {
  const RunResult result = onTerminal({"TERM=xterm", "NO_COLOR=1"});
  EXPECT_THAT(result.err, HasSubstr(kErased));
  EXPECT_THAT(result.err, Not(HasSubstr(kBold)));
}

TEST_F(Watch, NoLiveLineWhereItCannotBeDrawn) {
  EXPECT_THAT(onTerminal({"TERM=dumb"}).err, Not(HasSubstr("\x1b")));
  const RunResult never = onTerminal({"TERM=xterm"}, {"--progress", "never"});
  EXPECT_THAT(never.err, Not(HasSubstr("\x1b")));
  EXPECT_THAT(never.err, HasSubstr("found by"));
  EXPECT_EQ(onTerminal({"TERM=xterm"}, {"--quiet"}).err, "");
}

TEST_F(Watch, ALiveLineOnRequest) {
  const RunResult result = solve({"--max-rounds", "4", "--progress", "always"});
  EXPECT_THAT(result.err, testing::ContainsRegex("\r[0-9.]+ s  [0-9.]+ / [0-9.]+  [0-9.]+ %  r"));
  EXPECT_THAT(result.err, Not(HasSubstr(kBold)));
  EXPECT_THAT(result.err, HasSubstr(kErased + "tilebeam: "));
}

TEST_F(Watch, LiveLinesFitTheTerminal) {
  const RunResult result = onTerminal({"TERM=xterm", "NO_COLOR=1"});
  std::istringstream in(result.err);
  for (std::string line; std::getline(in, line, '\r');) {
    const std::size_t end = line.find("\x1b[K");
    if (end != std::string::npos) {
      EXPECT_LT(end, 80U) << line;
    }
  }
}

TEST_F(Watch, Usage) {
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--quiet", "--progress", "always"},
        {"--quiet", "--log-level", "info"},
        {"--log-level", "loud"},
        {"--progress", "sometimes"}}) {
    std::vector<std::string> arguments{"solve", problem_};
    arguments.insert(arguments.end(), options.begin(), options.end());
    EXPECT_EQ(tilebeam(arguments).exitCode, 2);
  }
}

}  // namespace
}  // namespace tilebeam::test
