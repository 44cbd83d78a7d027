#include <gmock/gmock.h>

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
  EXPECT_THAT(contentOf(path("m.csv")), HasSubstr("\nx,0,4,"));
  EXPECT_THAT(contentOf(path("m.csv")), HasSubstr("\ny,0,7,"));
  EXPECT_THAT(contentOf(path("m.csv")), HasSubstr("\nz,0,3,"));
  EXPECT_EQ(contentOf(path("m.csv")), contentOf(path("n.csv")));
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
