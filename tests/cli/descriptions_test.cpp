// The manual pages and the completions: every command and option of --help stands in them.
#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "support/program_fixture.h"

namespace tilebeam::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::SizeIs;

// Words that begin with -- in a help text.
std::set<std::string> flagsIn(const std::string& help) {
  std::set<std::string> flags;
  for (std::size_t at = 0; (at = help.find("--", at)) != std::string::npos;) {
    const std::size_t end = help.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", at);
    if (end - at > 2) flags.insert(help.substr(at, end - at));
    at = end;
  }
  return flags;
}

class Descriptions : public ProgramTest {
 protected:
  static std::string help(const std::string& command) {
    return command.empty() ? tilebeam({"--help"}).out : tilebeam({command, "--help"}).out;
  }

  // The names below "Subcommands:".
  static std::vector<std::string> commands() {
    const std::string whole = help("");
    std::istringstream lines(whole.substr(whole.find("Subcommands:")));
    std::string line;
    std::vector<std::string> names;
    std::getline(lines, line);
    while (std::getline(lines, line)) {
      if (!line.starts_with("  ") || line.starts_with("   ")) continue;
      names.push_back(line.substr(2, line.find(' ', 2) - 2));
    }
    return names;
  }

  static std::string completion(const char* shell) {
    const RunResult result = tilebeam({"--completion", shell});
    EXPECT_EQ(result.exitCode, 0);
    return result.out;
  }

  // What bash offers for a line, the word after its last space being typed.
  std::vector<std::string> offered(const std::string& line) const {
    const std::string script = file("run.bash", completion("bash") + R"(
      line=$1
      read -ra COMP_WORDS <<<"$line"
      [[ $line == *' ' ]] && COMP_WORDS+=('')
      COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
      _tilebeam
      printf '%s\n' "${COMPREPLY[@]}"
    )");
    const RunResult result = run({"/bin/bash", script, line});
    EXPECT_EQ(result.err, "");
    std::istringstream in(result.out);
    return {std::istream_iterator<std::string>(in), {}};
  }
};

TEST_F(Descriptions, EveryCommandAndOptionStandsInThem) {
  ASSERT_THAT(commands(), IsSupersetOf({"solve", "evaluate", "bound", "generate", "import"}));
  std::string page = tilebeam({"--man"}).out;
  page.erase(std::remove(page.begin(), page.end(), '\\'), page.end());
  const std::string bash = completion("bash");
  const std::string zsh = completion("zsh");
  const std::string fish = completion("fish");
  std::vector<std::string> all = commands();
  all.emplace_back();
  for (const std::string& command : all) {
    EXPECT_THAT(page, HasSubstr("fBtilebeam " + command));
    EXPECT_THAT(bash, HasSubstr(command.empty() ? "'')" : command + ")"));
    EXPECT_THAT(zsh, HasSubstr(command + ")"));
    for (const std::string& flag : flagsIn(help(command))) {
      EXPECT_THAT(page, HasSubstr(flag)) << command;
      EXPECT_THAT(bash, HasSubstr(flag)) << command;
      EXPECT_THAT(zsh, HasSubstr(flag)) << command;
      EXPECT_THAT(fish, HasSubstr("-l " + flag.substr(2))) << command;
    }
  }
}

TEST_F(Descriptions, ManualPageOfMlsys) {
  const std::string page = mlsys({"--man"}).out;
  EXPECT_THAT(page, testing::StartsWith(".TH MLSYS 1 "));
  for (const char* const text :
       {"PROBLEM", "SCHEDULE", "SIGNALS", "SIGHUP", "ENVIRONMENT", "NO_COLOR", "EXIT STATUS"}) {
    EXPECT_THAT(page, HasSubstr(text));
  }
}

TEST_F(Descriptions, BashOffersWhatFits) {
  EXPECT_THAT(offered("tilebeam "), IsSupersetOf(commands()));
  EXPECT_THAT(offered("tilebeam eval"), testing::ElementsAre("evaluate"));
  EXPECT_THAT(offered("tilebeam solve --time"), testing::ElementsAre("--time-limit"));
  EXPECT_THAT(offered("tilebeam bound --"), Contains("--json"));
  EXPECT_THAT(offered("tilebeam bound --time"), SizeIs(0));
  EXPECT_THAT(offered("tilebeam bound " + file("problem.json", kDiamond).substr(0, 9)),
              testing::Not(testing::IsEmpty()));
}

TEST_F(Descriptions, BashOffersValues) {
  using testing::ElementsAre;
  using testing::UnorderedElementsAre;
  EXPECT_THAT(offered("tilebeam render p.json --to "),
              UnorderedElementsAre("html", "svg", "dot", "mermaid", "trace"));
  EXPECT_THAT(offered("tilebeam render p.json --to s"), ElementsAre("svg"));
  EXPECT_THAT(offered("tilebeam solve --depth "), ElementsAre("native", "full"));
  EXPECT_THAT(offered("tilebeam solve --progress a"), UnorderedElementsAre("auto", "always"));
  EXPECT_THAT(offered("tilebeam solve --log-level "), SizeIs(4));
  EXPECT_THAT(offered("tilebeam solve --without "), Contains("retention"));
  EXPECT_THAT(offered("tilebeam generate --memory "), ElementsAre("tight", "roomy", "contest"));
  EXPECT_THAT(offered("tilebeam --completion "), ElementsAre("bash", "zsh", "fish"));
  EXPECT_THAT(offered("tilebeam solve --threads "), SizeIs(0));
  const std::string start = file("problem.json", kDiamond).substr(0, 9);
  EXPECT_THAT(offered("tilebeam solve -o " + start), testing::Not(testing::IsEmpty()));
}

TEST_F(Descriptions, OtherShellsKnowValues) {
  const std::string zsh = completion("zsh");
  EXPECT_THAT(zsh, HasSubstr(":FORMAT:(html svg dot mermaid trace)'"));
  EXPECT_THAT(zsh, HasSubstr(":FILE:_files'"));
  EXPECT_THAT(zsh, HasSubstr(":DIR:_files -/'"));
  const std::string fish = completion("fish");
  EXPECT_THAT(fish, HasSubstr("-l to -x -a 'html svg dot mermaid trace'"));
  EXPECT_THAT(fish, HasSubstr("-l stats -r -F"));
  EXPECT_THAT(fish, HasSubstr("-l threads -x -d"));
}

TEST_F(Descriptions, UnknownShell) { EXPECT_EQ(tilebeam({"--completion", "csh"}).exitCode, 2); }

}  // namespace
}  // namespace tilebeam::test
