#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "support/suite_fixture.h"

namespace tilebeam::test {
namespace {

using testing::HasSubstr;

class Merge : public SuiteTest {
 protected:
  RunResult merge(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "merge");
    return tilebeam(arguments);
  }
};

TEST_F(Merge, ShardsMakeTheWhole) {
  suite({"--csv", path("whole.csv")});
  suite({"--shard", "1/2", "--csv", path("a.csv")});
  suite({"--shard", "2/2", "--json", path("b.json")});
  const RunResult result = merge(
      {path("b.json"), path("a.csv"), "--csv", path("merged.csv"), "--json", path("merged.json")});
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(result.err, "tilebeam: 3 problems solved, 0 failed\n");
  EXPECT_EQ(csv("merged.csv"), csv("whole.csv"));
  EXPECT_EQ(json("merged.json")["problems"].size(), 3U);
}

TEST_F(Merge, NothingIsLostOnTheWay) {
  file("problems/p2.json", "{}");
  suite({"--csv", path("r.csv"), "--json", path("r.json")});
  merge({path("r.csv"), "--csv", path("from.csv"), "--json", path("from.json")});
  merge({path("r.json"), "--csv", path("from2.csv")});
  EXPECT_EQ(contentOf(path("from.csv")), contentOf(path("r.csv")));
  EXPECT_EQ(contentOf(path("from2.csv")), contentOf(path("r.csv")));
  EXPECT_EQ(json("from.json")["problems"], json("r.json")["problems"]);
}

TEST_F(Merge, AByteOrderMarkIsNoPartOfTheResults) {
  const std::string mark = "\xEF\xBB\xBF";
  suite({"--csv", path("r.csv"), "--json", path("r.json")});
  file("marked.json", mark + contentOf(path("r.json")));
  file("marked.csv", mark + contentOf(path("r.csv")));
  for (const char* const name : {"marked.json", "marked.csv"}) {
    EXPECT_EQ(merge({path(name), "--csv", path("merged.csv")}).exitCode, 0) << name;
    EXPECT_EQ(contentOf(path("merged.csv")), contentOf(path("r.csv"))) << name;
  }
}

TEST_F(Merge, MoreShardsThanProblems) {
  const RunResult result = suite({"--shard", "4/5", "--csv", path("d.csv")});
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(merge({path("d.csv")}).exitCode, 0);
}

TEST_F(Merge, Duplicates) {
  const std::string a = file("a.csv", "problem,latency,error\nx,5,\ny,,\"no, none\"\nz,3,\n");
  const std::string b = file("b.csv", "x,4\r\ny,7\r\n");
  const RunResult refused = merge({a, b});
  EXPECT_EQ(refused.exitCode, 2);
  EXPECT_THAT(refused.err, HasSubstr("error: x: in " + a + " and in " + b));
  EXPECT_EQ(merge({a, b, "--best", "--csv", path("m.csv")}).exitCode, 0);
  EXPECT_EQ(merge({b, a, "--best", "--csv", path("n.csv")}).exitCode, 0);
  EXPECT_THAT(contentOf(path("m.csv")), HasSubstr("\nx,,4,"));
  EXPECT_THAT(contentOf(path("m.csv")), HasSubstr("\ny,,7,"));
  EXPECT_THAT(contentOf(path("m.csv")), HasSubstr("\nz,,3,"));
  EXPECT_EQ(contentOf(path("m.csv")), contentOf(path("n.csv")));
}

TEST_F(Merge, WhatIsMissingStaysMissing) {
  const std::string list = file("b.csv", "problem,latency\nx,5\n");
  const RunResult result = merge({list, "--json", path("m.json"), "--csv", path("m.csv")});
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(result.out,
            "problem  ops  latency  bound  gap %  steps  seconds  status\n"
            "      x    -        5      -      -      -        -       -\n");
  EXPECT_THAT(contentOf(path("m.csv")), HasSubstr("\nx,,5,,,,,,,,\n"));
  const auto row = json("m.json")["problems"][0];
  for (const char* const key :
       {"ops", "bound", "gap", "steps", "seconds", "status", "baseline", "ratio", "error"}) {
    EXPECT_EQ(row.at(key), nullptr) << key;
  }
  merge({path("m.json"), "--csv", path("again.csv")});
  EXPECT_EQ(contentOf(path("again.csv")), contentOf(path("m.csv")));
}

TEST_F(Merge, NonsenseIsRefusedWithItsRow) {
  const auto refusal = [&](const std::string& row) {
    const std::string rows = R"({"problems":[{"problem":"w","latency":1},{"problem":"x",)";
    const RunResult result = merge({file("n.json", rows + row + "}]}")});
    EXPECT_EQ(result.exitCode, 3) << row;
    const std::string start = "tilebeam: error: " + path("n.json") + ": row 2: ";
    EXPECT_EQ(result.err.substr(0, start.size()), start);
    return result.err.substr(std::min(start.size(), result.err.size()));
  };
  EXPECT_EQ(refusal(R"("latency":5,"gap":-3)"), "gap must be from 0 to 1\n");
  EXPECT_EQ(refusal(R"("latency":5,"gap":"none")"), "gap must be a number\n");
  EXPECT_EQ(refusal(R"("latency":5,"bound":6)"), "bound is above latency\n");
  EXPECT_EQ(refusal(R"("latency":5,"status":"wow")"),
            "status must be one of optimal, round-limit, time-limit, interrupted, malformed, "
            "infeasible, unwritable, fault\n");
  EXPECT_EQ(refusal(R"("latency":5,"steps":1.5)"), "steps must be whole\n");
  EXPECT_EQ(refusal(R"("latency":5,"ops":1e18)"), "ops is out of range\n");
  EXPECT_EQ(refusal(R"("latency":5,"ops":0)"), "ops must be at least 1\n");
  EXPECT_EQ(refusal(R"("latency":5,"steps":0)"), "steps must be at least 1\n");
  EXPECT_EQ(refusal(R"("latency":0)"), "latency must be above 0\n");
  EXPECT_EQ(refusal(R"("latency":5,"ratio":-1)"), "ratio is out of range\n");
}

// What follows from other columns may be rounded, but not be something else.
TEST_F(Merge, ContradictionsAreRefusedWithTheirLine) {
  const auto result = [&](const std::string& line) {
    const std::string header = "problem,latency,bound,gap,baseline,ratio\n";
    return merge({file("c.csv", header + "w,1,,,,\n" + line + "\n")});
  };
  const std::string start = "tilebeam: error: " + path("c.csv") + ": line 3: ";
  EXPECT_EQ(result("x,8,6,0.5,,").err,
            start + "gap must be 0.25, which follows from latency and bound, not 0.5\n");
  EXPECT_EQ(result("x,8,,,4,2").err,
            start + "ratio must be 0.5, which follows from baseline and latency, not 2\n");
  EXPECT_EQ(result("x,8,6,0.5,,").exitCode, 3);
  EXPECT_EQ(result("x,3,2,0.3333,2,0.6667").exitCode, 0);
  EXPECT_EQ(result("x,3,,0.9,,0.1").exitCode, 0) << "follows from nothing";
}

TEST_F(Merge, AProblemHasAScheduleOrAFault) {
  const auto refusal = [&](const std::string& cells) {
    const std::string header = "problem,latency,bound,gap,steps,status,error\n";
    const RunResult result = merge({file("c.csv", header + "x," + cells + "\n")});
    EXPECT_EQ(result.exitCode, result.err.find("error") == std::string::npos ? 0 : 3);
    const std::string start = "tilebeam: error: " + path("c.csv") + ": line 2: ";
    return result.err.starts_with(start) ? result.err.substr(start.size()) : "accepted";
  };
  for (const std::string failed : {"malformed", "infeasible", "unwritable", "fault"}) {
    const std::string end = " must be empty where status is " + failed + "\n";
    EXPECT_EQ(refusal("5,,,," + failed + ","), "latency" + end);
    EXPECT_EQ(refusal(",5,,," + failed + ","), "bound" + end);
    EXPECT_EQ(refusal(",,,3," + failed + ","), "steps" + end);
    EXPECT_EQ(refusal(",,,," + failed + ",no"), "accepted");
  }
  for (const std::string solved : {"optimal", "round-limit", "time-limit", "interrupted"}) {
    EXPECT_EQ(refusal(",,,," + solved + ","),
              "latency is missing where status is " + solved + "\n");
    EXPECT_EQ(refusal("5,5,,," + solved + ","), "accepted");
  }
  EXPECT_EQ(refusal("5,,,,,no"), "error must be empty where there is a latency\n");
  EXPECT_EQ(refusal("5,4,,,optimal,"), "gap must be 0 where status is optimal, not 0.2\n");
  EXPECT_EQ(refusal("5,,0.2,,optimal,"), "gap must be 0 where status is optimal, not 0.2\n");
  EXPECT_EQ(refusal("5,4.999999,0,,optimal,"), "accepted") << "rounded";
}

// What is written can be read, and is the same then.
TEST_F(Merge, NamesThatNoFileHas) {
  const auto refusal = [&](const std::string& row) {
    const RunResult result =
        merge({file("n.json", "{\"problems\":[{" + row + "}]}"), "--csv", path("m.csv")});
    EXPECT_EQ(result.exitCode, 3) << row;
    EXPECT_FALSE(std::filesystem::exists(path("m.csv")));
    return result.err.substr(result.err.rfind(": ") + 2);
  };
  EXPECT_EQ(refusal(R"("problem":"a\u0000b","latency":1)"), "problem must not have zero bytes\n");
  EXPECT_EQ(refusal(R"("problem":"x","error":"\u0000")"), "error must not have zero bytes\n");
  EXPECT_EQ(refusal(R"("problem":"/","latency":1)"), "problem must name a file, as / does not\n");
  EXPECT_EQ(refusal(R"("problem":"","latency":1)"), "problem is missing\n");
  const std::string names = file("names.csv", "b/x.json.json//,1\n..,2\n\"q\"\"\n,\",3\n.json,4\n");
  ASSERT_EQ(merge({names, "--csv", path("m.csv")}).exitCode, 0);
  EXPECT_THAT(contentOf(path("m.csv")), HasSubstr("\nx,,1,"));
  ASSERT_EQ(merge({path("m.csv"), "--csv", path("again.csv")}).exitCode, 0);
  EXPECT_EQ(contentOf(path("again.csv")), contentOf(path("m.csv")));
}

TEST_F(Merge, TwoProblemsOfOneName) {
  const std::string header = "problem,latency,ops,bound\n";
  const std::string a = file("a.csv", header + "x,5,,\ny,9,,6\n");
  const std::string b = file("b.csv", header + "x,4,7,\n");
  const std::string c = file("c.csv", header + "x,6,8,\n");
  const std::string d = file("d.csv", header + "y,5,,\n");
  const auto refused = [&](std::vector<std::string> files) {
    files.insert(files.end(), {"--best", "--csv", path("m.csv")});
    const RunResult result = merge(files);
    EXPECT_EQ(result.exitCode, 2);
    EXPECT_FALSE(std::filesystem::exists(path("m.csv")));
    return result.err;
  };
  const std::string start = "tilebeam: error: ";
  const std::string end = ": two problems of one name\n";
  EXPECT_EQ(refused({b, c}), start + "x: 7 ops in " + b + ", 8 in " + c + end);
  EXPECT_EQ(refused({b, a, c}), start + "x: 7 ops in " + b + ", 8 in " + c + end);
  EXPECT_EQ(refused({c, a, b}), start + "x: 8 ops in " + c + ", 7 in " + b + end);
  const std::string below = start + "y: latency 5 in " + d + ", below the bound 6 in " + a + end;
  EXPECT_EQ(refused({a, d}), below);
  EXPECT_EQ(refused({d, a}), below);
  EXPECT_EQ(merge({a, b, "--best"}).exitCode, 0);
}

TEST_F(Merge, TextBehindAClosingQuote) {
  for (const char* const cell : {"\"a\"x", "\"a\" ", "\"a\"\"\"b\""}) {
    const std::string list = file("q.csv", "w,1\n\"two\nlines\",2\n" + std::string(cell) + ",3\n");
    const RunResult result = merge({list});
    EXPECT_EQ(result.exitCode, 3);
    EXPECT_EQ(result.err, "tilebeam: error: " + list + ": line 4: text behind a closing quote\n");
  }
  EXPECT_EQ(merge({file("e.csv", "w,1\nv,2\n\"x,3\ny,4\n")}).err,
            "tilebeam: error: " + path("e.csv") + ": line 3: a quoted cell does not end\n");
}

// As spreadsheets write it.
TEST_F(Merge, ByteOrderMark) {
  const std::string mark = "\xEF\xBB\xBF";
  merge({file("plain.csv", "x,5\n"), "--csv", path("m.csv")});
  for (const char* const text :
       {"problem,latency\nx,5\n", "\"problem\",latency\r\nx,5\r\n", "x,5\n"}) {
    const RunResult result = merge({file("marked.csv", mark + text), "--csv", path("n.csv")});
    EXPECT_EQ(result.exitCode, 0) << result.err;
    EXPECT_EQ(contentOf(path("n.csv")), contentOf(path("m.csv"))) << text;
  }
}

TEST_F(Merge, RefusedFiles) {
  EXPECT_EQ(merge({}).exitCode, 2);
  EXPECT_EQ(merge({path("none.csv")}).exitCode, 3);
  const std::string a = file("a.csv", "x,5\n");
  EXPECT_EQ(merge({a, "--csv", a}).exitCode, 2);
  EXPECT_EQ(merge({a, "--csv", path("none/m.csv")}).exitCode, 5);
}

}  // namespace
}  // namespace tilebeam::test
