// Exit code 2, and what --help and --version say.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "support/program_fixture.h"

namespace tilebeam::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Usage : public ProgramTest {
 protected:
  static void expectRefused(const std::vector<std::string>& arguments) {
    const RunResult result = tilebeam(arguments);
    std::string line;
    for (const std::string& argument : arguments) line += argument + " ";
    EXPECT_EQ(result.exitCode, 2) << line << result.err;
    EXPECT_EQ(result.out, "") << line;
    EXPECT_THAT(result.err, StartsWith("tilebeam: error: ")) << line;
    EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << line << result.err;
  }
};

TEST_F(Usage, Version) {
  EXPECT_EQ(tilebeam({"--version"}).out, "tilebeam " TILEBEAM_VERSION "\n");
  EXPECT_EQ(mlsys({"--version"}).out, "mlsys " TILEBEAM_VERSION "\n");
}

// Of 24 lines of 80 characters.
void expectFitsAScreen(const std::string& text) {
  std::istringstream lines(text);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) EXPECT_LE(line.size(), 80U) << line;
  EXPECT_LE(count, 24) << text;
}

TEST_F(Usage, Help) {
  const RunResult whole = tilebeam({"--help"});
  EXPECT_EQ(whole.exitCode, 0);
  for (const char* const command : {"solve", "evaluate", "compare", "explain", "bound", "generate",
                                    "import", "render", "suite", "merge", "scale"}) {
    EXPECT_THAT(whole.out, HasSubstr(command));
    const RunResult one = tilebeam({command, "--help"});
    EXPECT_EQ(one.exitCode, 0);
    EXPECT_THAT(one.out, HasSubstr(std::string("tilebeam ") + command));
    EXPECT_THAT(one.out, HasSubstr(std::string("Example: tilebeam ") + command));
    expectFitsAScreen(one.out);
  }
  EXPECT_THAT(tilebeam({"solve", "-h"}).out, HasSubstr("--max-rounds"));
  EXPECT_EQ(mlsys({"--help"}).exitCode, 0);
}

TEST_F(Usage, Commands) {
  expectRefused({});
  expectRefused({"nothing"});
  expectRefused({"--nothing"});
  expectRefused({"solve"});
  expectRefused({"solve", "--nothing", "p.json"});
  expectRefused({"solve", "p.json", "q.json"});
  expectRefused({"solve", "p.json", "-o"});
  expectRefused({"evaluate", "p.json"});
  expectRefused({"evaluate", "p.json", "s.json", "t.json"});
  expectRefused({"bound"});
  expectRefused({"generate"});
  expectRefused({"generate", "chain"});
  expectRefused({"generate", "--ops", "5"});
  expectRefused({"generate", "nothing", "--ops", "5"});
  expectRefused({"generate", "chain", "--ops", "0"});
  expectRefused({"generate", "chain", "--ops", "5", "--memory", "vast"});
  expectRefused({"generate", "chain", "--ops", "5", "--seed", "-1"});
}

TEST_F(Usage, OptionRanges) {
  for (const char* const flag :
       {"--threads", "--max-rounds", "--beam-width", "--grain-size", "--tokens", "--window"}) {
    for (const char* const value : {"0", "-1", "1.5", "x", "", "99999999999999999999"}) {
      expectRefused({"solve", "p.json", flag, value});
    }
  }
  expectRefused({"solve", "p.json", "--threads", "1025"});
  for (const char* const value : {"0", "-1", "nan", "inf", "x", "", "1e10", "0x10", "1s", " 1"}) {
    expectRefused({"solve", "p.json", "--time-limit", value});
  }
  for (const char* const command : {"solve", "bound"}) {
    expectRefused({command, "p.json", "--depth", "deep"});
  }
  expectRefused({"solve", "p.json", "--threads", "1", "--threads", "2"});
}

TEST_F(Usage, MessageNamesTheOption) {
  EXPECT_THAT(tilebeam({"solve", "p.json", "--threads", "0"}).err, HasSubstr("--threads: "));
  EXPECT_THAT(tilebeam({"solve", "p.json", "--time-limit", "0"}).err, HasSubstr("--time-limit: "));
  EXPECT_THAT(tilebeam({"solve"}).err, HasSubstr("PROBLEM"));
}

TEST_F(Usage, NumbersOfEveryCommand) {
  const std::vector<std::vector<std::string>> options{{"generate", "chain", "--ops"},
                                                      {"generate", "chain", "--ops", "5", "--seed"},
                                                      {"suite", "p.json", "--jobs"},
                                                      {"suite", "p.json", "--shard"},
                                                      {"scale", "p.json", "--max-rounds"},
                                                      {"scale", "p.json", "--repeat"},
                                                      {"scale", "p.json", "--threads"},
                                                      {"scale", "p.json", "--project"},
                                                      {"explain", "p.json", "s.json", "--step"}};
  for (std::vector<std::string> arguments : options) {
    arguments.emplace_back();
    for (const char* const value : {"1e99", "nan", "", "1.5", "0x5", "99999999999999999999"}) {
      arguments.back() = value;
      expectRefused(arguments);
    }
  }
}

// Of whatever option: a script's variable was not set.
TEST_F(Usage, EmptyValues) {
  EXPECT_EQ(tilebeam({"solve", "p.json", "-o", ""}).err,
            "tilebeam: error: --output: an empty value (see --help)\n");
  EXPECT_EQ(mlsys({"p.json", ""}).err, "mlsys: error: SCHEDULE: an empty value (see --help)\n");
  expectRefused({"solve", ""});
  expectRefused({"solve", "p.json", "--stats", ""});
  expectRefused({"solve", "p.json", "--initial", ""});
  expectRefused({"suite", "p.json", "--csv", ""});
  expectRefused({"suite", "p.json", "--baseline", ""});
  expectRefused({"import", "m.onnx", "--map", ""});
  expectRefused({"import", "m.onnx", "--dim", ""});
}

TEST_F(Usage, ListsOfFeatures) {
  const auto said = [](const std::string& list) {
    expectRefused({"solve", "p.json", "--without", list});
    const std::string text = tilebeam({"solve", "p.json", "--without", list}).err;
    return text.substr(0, text.find(" (see --help)"));
  };
  const std::string start = "tilebeam: error: --without: ";
  EXPECT_EQ(said(""), start + "an empty value");
  EXPECT_EQ(said(","), start + "',' has an empty name in it");
  EXPECT_EQ(said("snakes,"), start + "'snakes,' has an empty name in it");
  EXPECT_EQ(said("snakes,prologue"), start + "unknown feature 'prologue'; did you mean prologues?");
  EXPECT_THAT(said("zzz"), StartsWith(start + "unknown feature 'zzz'; there are retention, "));
  const std::string problem = file("p.json", kDiamond);
  EXPECT_EQ(tilebeam({"solve", problem, "--without", "snakes,windows", "--without", "retention",
                      "-o", path("s.json"), "--stats", path("stats.json"), "--max-rounds", "1"})
                .exitCode,
            0);
  EXPECT_THAT(contentOf(path("stats.json")),
              HasSubstr("\"without\":[\"retention\",\"snakes\",\"windows\"]"));
}

TEST_F(Usage, TheListOfKindsTakesNothingElse) {
  EXPECT_EQ(tilebeam({"generate", "--list", "-o", path("kinds")}).out, "");
  EXPECT_EQ(contentOf(path("kinds")), tilebeam({"generate", "--list"}).out);
  expectRefused({"generate", "--list", "chain"});
  expectRefused({"generate", "--list", "--ops", "5"});
  expectRefused({"generate", "--list", "--seed", "5"});
  expectRefused({"generate", "--list", "--memory", "tight"});
}

TEST_F(Usage, UnknownWordsAreNamed) {
  const auto said = [](const std::vector<std::string>& arguments) {
    const std::string text = tilebeam(arguments).err;
    return text.substr(0, text.find(" (see --help)"));
  };
  const std::string start = "tilebeam: error: unknown ";
  EXPECT_EQ(said({"sovle", "p.json"}), start + "command 'sovle'; did you mean solve?");
  EXPECT_THAT(said({"frob"}), StartsWith(start + "command 'frob'; there are solve, suite, "));
  EXPECT_EQ(said({"solve", "p.json", "--time-limt", "5"}),
            start + "option '--time-limt'; did you mean --time-limit?");
  EXPECT_EQ(said({"solve", "p.json", "--rounds=5"}),
            start + "option '--rounds=5'; did you mean --max-rounds?");
  EXPECT_EQ(said({"bound", "p.json", "--zzz"}), start + "option '--zzz'");
  EXPECT_EQ(said({"bound", "p.json", "q.json"}), "tilebeam: error: unexpected argument 'q.json'");
}

TEST_F(Usage, NothingIsPrintedForAnUnknownCommand) {
  const std::string why = tilebeam({"sovle"}).err;
  EXPECT_THAT(why, HasSubstr("unknown command 'sovle'"));
  for (const char* const flag : {"--help", "-h", "--version", "--man"}) {
    expectRefused({"sovle", flag});
    EXPECT_EQ(tilebeam({"sovle", flag}).err, why) << flag;
  }
  expectRefused({"--help", "sovle"});
  expectRefused({"--version", "sovle"});
}

TEST_F(Usage, MlsysTakesTwoPaths) {
  EXPECT_EQ(mlsys({}).exitCode, 2);
  EXPECT_EQ(mlsys({"p.json"}).exitCode, 2);
  EXPECT_EQ(mlsys({"p.json", "s.json", "t.json"}).exitCode, 2);
  EXPECT_THAT(mlsys({"p.json"}).err, StartsWith("mlsys: error: "));
}

TEST_F(Usage, OutputsDoNotOverwriteInputs) {
  const std::string problem = file("p.json", kDiamond);
  const std::string why = problem + ": the output would overwrite an input\n";
  EXPECT_EQ(tilebeam({"solve", problem, "-o", problem}).err, "tilebeam: error: " + why);
  EXPECT_EQ(tilebeam({"solve", problem, "--stats", problem}).exitCode, 2);
  EXPECT_EQ(mlsys({problem, problem}).err, "mlsys: error: " + why);
  EXPECT_EQ(tilebeam({"solve", problem, "-o", path("x"), "--stats", path("x")}).exitCode, 2);
  EXPECT_EQ(contentOf(problem), kDiamond);
}

// However they are spelled.
TEST_F(Usage, OutputsNeedAFileEach) {
  const std::string problem = file("p.json", kDiamond);
  const std::string schedule = file("s.json", kDiamondSchedule);
  const std::string out = path("out");
  const std::string again = path("./out");
  std::filesystem::create_directory(path("all"));
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"solve", problem, "-o", out, "--stats", again},
           {"solve", problem, "--initial", schedule, "--stats", schedule, "-o", out},
           {"suite", problem, "--csv", out, "--json", again},
           {"suite", problem, "--output-dir", path("all"), "--csv", path("all/p.json")},
           {"import", path("m.onnx"), "-o", out, "--map", again},
           {"merge", path("r.csv"), "--csv", out, "--json", again},
           {"scale", problem, "--csv", out, "--svg", again}}) {
    const RunResult result = tilebeam(arguments);
    EXPECT_EQ(result.exitCode, 2) << arguments.front() << ": " << result.err;
  }
  EXPECT_EQ(contentOf(schedule), kDiamondSchedule);
  EXPECT_FALSE(std::filesystem::exists(out));
}

}  // namespace
}  // namespace tilebeam::test
