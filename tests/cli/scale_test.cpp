// The scaling study, with runs made by hand and through the program.
#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <latch>
#include <optional>
#include <thread>

#include "cli/csv.h"
#include "cli/scale_plot.h"
#include "cli/scale_report.h"
#include "cli/scale_study.h"
#include "support/markup_checks.h"
#include "support/program_fixture.h"
#include "tilebeam/errors.h"

namespace tilebeam::test {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

cli::ScaleRequest request(std::vector<int> threads) {
  cli::ScaleRequest made;
  made.threads = std::move(threads);
  made.maxRounds = 6;
  return made;
}

// Perfect speedup of one second's work, but that every fifth run is disturbed.
cli::ScaleSample ideal(const SolverOptions& options, TaskTrace*) {
  static int runs = 0;
  const double disturbance = ++runs % 5 == 0 ? 7 : 1;
  return {disturbance / options.threads, 1, 100, 3, 1, 6, "same"};
}

TEST(ScaleStudy, CombinationsTakeTurns) {
  cli::ScaleRequest study = request({1, 2});
  study.beamWidths = {8, 16};
  study.repeats = 2;
  study.maxRounds = 3;
  std::vector<std::pair<int, int>> order;
  cli::runScaleStudy(study, [&](const SolverOptions& options, TaskTrace*) {
    order.emplace_back(options.beamWidth, options.threads);
    EXPECT_EQ(options.maxRounds, 3);
    return cli::ScaleSample{};
  });
  const std::vector<std::pair<int, int>> turn{{8, 1}, {8, 2}, {16, 1}, {16, 2}};
  ASSERT_EQ(order.size(), 8U);
  EXPECT_TRUE(std::equal(turn.begin(), turn.end(), order.begin()));
  EXPECT_TRUE(std::equal(turn.begin(), turn.end(), order.begin() + 4));
}

// A first run on the fewest threads tells how many rounds a second has; all others do as many.
TEST(ScaleStudy, RoundsOfASecond) {
  for (const std::int64_t begun : {2, 40}) {
    cli::ScaleRequest asked = request({4, 2});
    asked.beamWidths = {8, 16};
    asked.repeats = 1;
    asked.maxRounds = 0;
    std::vector<SolverOptions> runs;
    const cli::ScaleStudy study =
        cli::runScaleStudy(asked, [&](const SolverOptions& options, TaskTrace*) {
          runs.push_back(options);
          cli::ScaleSample sample;
          sample.rounds = begun;
          return sample;
        });
    ASSERT_THAT(runs, SizeIs(5));
    EXPECT_EQ(runs[0].threads, 2);
    EXPECT_EQ(runs[0].beamWidth, 8);
    EXPECT_EQ(runs[0].timeLimit, 1);
    EXPECT_EQ(runs[0].maxRounds, 0);
    EXPECT_EQ(study.rounds, begun == 2 ? 6 : 39);
    for (std::size_t i = 1; i < runs.size(); ++i) EXPECT_EQ(runs[i].maxRounds, study.rounds);
  }
}

// The most workers are to have a tenth of a second each, within limits.
TEST(ScaleStudy, WorkForTheMostWorkers) {
  const auto seconds = [](std::vector<int> threads, std::vector<int> projected) {
    cli::ScaleRequest asked = request(std::move(threads));
    asked.projected = std::move(projected);
    asked.maxRounds = 0;
    std::optional<double> limit;  // of the first run
    cli::runScaleStudy(asked, [&](const SolverOptions& options, TaskTrace*) {
      if (!limit) limit = options.timeLimit;
      return cli::ScaleSample{};
    });
    return limit.value_or(0);
  };
  EXPECT_DOUBLE_EQ(seconds({1, 2}, {}), 1);
  EXPECT_DOUBLE_EQ(seconds({1, 2}, {8, 64}), 6.4);
  EXPECT_DOUBLE_EQ(seconds({2, 64}, {4}), 3.2);
  EXPECT_DOUBLE_EQ(seconds({1}, {1000}), 10);
}

TEST(ScaleStudy, MediansAndSpeedups) {
  cli::ScaleRequest asked = request({2, 4});
  asked.repeats = 5;
  const cli::ScaleStudy study = cli::runScaleStudy(asked, ideal);
  ASSERT_THAT(study.rows, SizeIs(2));
  EXPECT_DOUBLE_EQ(study.rows[0].seconds, 0.5);
  EXPECT_DOUBLE_EQ(study.rows[1].seconds, 0.25);
  EXPECT_DOUBLE_EQ(study.rows[0].speedup, 1);
  EXPECT_DOUBLE_EQ(study.rows[1].speedup, 2);
  EXPECT_DOUBLE_EQ(study.rows[1].efficiency, 1);
  EXPECT_DOUBLE_EQ(study.rows[1].stepsPerSecond, 400);
  EXPECT_DOUBLE_EQ(study.rows[1].hitRate, 0.75);
  EXPECT_TRUE(study.identical());
}

TEST(ScaleStudy, ADifferentScheduleIsNoticed) {
  for (const int culprit : {0, 1, 2, 3}) {
    int runs = 0;
    cli::ScaleRequest asked = request({1, 2});
    asked.repeats = 2;
    const cli::ScaleStudy study = cli::runScaleStudy(asked, [&](const SolverOptions&, TaskTrace*) {
      return cli::ScaleSample{1, 1, 1, 1, 1, 6, runs++ == culprit ? "other" : "same"};
    });
    EXPECT_FALSE(study.identical()) << culprit;
    EXPECT_THAT(cli::scaleTable(study), HasSubstr("NO"));
    EXPECT_THAT(cli::scaleCsv(study), HasSubstr(",no,"));
  }
}

TEST(ScaleStudy, ProjectsWhatTheTraceAllows) {
  cli::ScaleRequest asked = request({1, 2});
  asked.projected = {2, 8};
  const cli::ScaleStudy study =
      cli::runScaleStudy(asked, [](const SolverOptions& options, TaskTrace* trace) {
        if (trace != nullptr) {
          EXPECT_EQ(options.threads, 1);
          EXPECT_EQ(options.tokens, 32);  // as on eight workers
          trace->phases = {{TraceKind::kReduction, 1, {1, 1, 1, 1, 1, 1, 1, 1}, {}}};
        }
        return cli::ScaleSample{9.0 / options.threads, 9, 1, 1, 1, 6, ""};
      });
  ASSERT_THAT(study.projections, SizeIs(1));
  EXPECT_THAT(study.projections[0].workers, ElementsAre(1, 2, 8));
  EXPECT_THAT(study.projections[0].speedups, ElementsAre(1, 9.0 / 5, 9.0 / 2));
  const std::string text = cli::projectionText(study);
  EXPECT_THAT(text, HasSubstr("longest chain 2.000 s of 9.000 s"));
  EXPECT_THAT(text, HasSubstr("serial reduction: 11.1 % of all work"));
  EXPECT_THAT(text, HasSubstr("0.90"));  // 1.8 projected, 2 measured
}

TEST(ScalePlot, ShowsEveryCurve) {
  cli::ScaleStudy study;
  study.rows.resize(2);
  study.rows[0].threads = 1;
  study.rows[1].threads = 2;
  study.rows[1].speedup = 0.5;
  study.projections = {{{}, 1, {}, {1, 64}, {1, 50}}};
  const std::string svg = cli::scalePlot(study, "a<b & \x01\xff");
  expectWellFormed(svg);
  EXPECT_THAT(svg, StartsWith("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  EXPECT_THAT(svg, HasSubstr("a&lt;b &amp; ??"));
  for (const char* const curve : {">ideal<", ">measured<", ">projected<", ">64<"}) {
    EXPECT_THAT(svg, HasSubstr(curve));
  }
}

// One run alone takes 60 s; of several at once, each has 15 s more than the one before. They wait
// until all are there.
class Machine {
 public:
  cli::ScaleSample run(const SolverOptions& options) {
    if (std::this_thread::get_id() == caller_) {
      next_ = 0;
      all_.emplace(options.threads);
      return {60.0 / options.threads, 1, 1, 1, 1, 6, "same"};
    }
    EXPECT_EQ(options.threads, 1);
    all_->arrive_and_wait();
    const int place = next_++;
    copies_ += 1;
    return {60 + 15.0 * place, 1, 1, 1, 1, 6, copies_ == culprit_ ? "other" : "same"};
  }

  cli::ScaleStudy study(std::vector<int> threads, int culprit = 0) {
    culprit_ = culprit;
    cli::ScaleRequest asked = request(std::move(threads));
    asked.copies = true;
    return cli::runScaleStudy(
        asked, [this](const SolverOptions& options, TaskTrace*) { return run(options); });
  }

  int copies() const { return copies_; }

 private:
  std::thread::id caller_ = std::this_thread::get_id();
  std::optional<std::latch> all_;
  std::atomic<int> next_ = 0;
  std::atomic<int> copies_ = 0;
  int culprit_ = 0;
};

TEST(ScaleStudy, CopiesAtOnceTellWhatTheMachineManages) {
  Machine machine;
  const cli::ScaleStudy study = machine.study({1, 2, 4});
  EXPECT_EQ(machine.copies(), 3 * (2 + 4));
  EXPECT_FALSE(study.rows[0].machine);
  EXPECT_NEAR(study.rows[1].machine.value(), 2 * 60.0 / 75, 0.05);
  EXPECT_NEAR(study.rows[2].machine.value(), 4 * 60.0 / 105, 0.05);
  EXPECT_DOUBLE_EQ(study.rows[2].speedup, 4) << "copies are no part of it";
  EXPECT_TRUE(study.identical());
  EXPECT_THAT(cli::scaleTable(study), HasSubstr("speedup  machine  efficiency"));
}

TEST(ScaleStudy, CopiesAgainstTheFewestThreads) {
  Machine machine;
  const cli::ScaleStudy study = machine.study({2, 4});
  EXPECT_FALSE(study.rows[0].machine);
  EXPECT_NEAR(study.rows[1].machine.value(), (4 / 105.0) / (2 / 75.0), 0.05);
}

TEST(ScaleStudy, NothingToCompareCopiesWith) {
  Machine machine;
  EXPECT_FALSE(machine.study({2}).rows[0].machine);
  EXPECT_EQ(machine.copies(), 0);
}

TEST(ScaleStudy, ADifferentCopyIsNoticed) {
  for (const int culprit : {1, 4, 18}) {
    Machine machine;
    const cli::ScaleStudy study = machine.study({1, 2, 4}, culprit);
    EXPECT_FALSE(study.identical()) << culprit;
  }
}

// Not before the other copies have ended.
TEST(ScaleStudy, CopiesThatAreStopped) {
  const std::thread::id caller = std::this_thread::get_id();
  cli::ScaleRequest asked = request({1, 3});
  asked.copies = true;
  std::atomic<int> copies = 0;
  const auto run = [&](const SolverOptions&, TaskTrace*) -> cli::ScaleSample {
    if (std::this_thread::get_id() == caller) return {};
    ++copies;
    throw InterruptedError("stopped");
  };
  EXPECT_THROW(cli::runScaleStudy(asked, run), InterruptedError);
  EXPECT_EQ(copies, 3);
}

using Scale = ProgramTest;

TEST_F(Scale, TableCsvAndPlot) {
  const std::string problem = path("p.json");
  tilebeam({"generate", "transformer", "--ops", "12", "-o", problem});
  const RunResult result = tilebeam({"scale", problem, "--threads", "2,1", "--beam-width", "4,8",
                                     "--max-rounds", "2", "--repeat", "2", "--project", "2,16",
                                     "--csv", path("s.csv"), "--svg", path("s.svg")});
  ASSERT_EQ(result.exitCode, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("threads"));
  EXPECT_THAT(result.out, HasSubstr("projection (beam 8): longest chain"));
  EXPECT_THAT(result.err, HasSubstr("2 of 2 times"));

  std::vector<cli::CsvRow> rows;
  for (auto& line : cli::parseCsv(contentOf(path("s.csv")))) rows.push_back(std::move(line.cells));
  ASSERT_THAT(rows, SizeIs(7));  // header, two widths at two threads, two projected
  EXPECT_THAT(rows[0],
              ElementsAre("threads", "grain_size", "beam_width", "tokens", "seconds", "cpu_seconds",
                          "speedup", "efficiency", "steps_per_second", "cache_hit_rate",
                          "identical", "projected_speedup", "machine_speedup"));
  EXPECT_THAT(rows, Each(SizeIs(13)));
  EXPECT_EQ(rows[1][0], "1");
  EXPECT_EQ(rows[1][6], "1");
  EXPECT_EQ(rows[2][10], "yes");
  EXPECT_EQ(rows[5][0], "16");
  EXPECT_EQ(rows[5][4], "");
  EXPECT_NE(rows[5][11], "");
  EXPECT_THAT(result.out, Not(HasSubstr("machine")));
  for (std::size_t i = 1; i < rows.size(); ++i) EXPECT_EQ(rows[i][12], "");
  expectWellFormed(contentOf(path("s.svg")));
}

TEST_F(Scale, Copies) {
  const std::string problem = path("p.json");
  tilebeam({"generate", "random", "--ops", "24", "-o", problem});
  const RunResult result =
      tilebeam({"scale", problem, "--threads", "1,2,3", "--beam-width", "16", "--max-rounds", "6",
                "--copies", "--project", "8", "--csv", path("s.csv")});
  ASSERT_EQ(result.exitCode, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("machine"));
  const std::vector<cli::CsvLine> lines = cli::parseCsv(contentOf(path("s.csv")));
  ASSERT_THAT(lines, SizeIs(5));
  EXPECT_EQ(lines[1].cells[12], "");
  EXPECT_EQ(lines[4].cells[12], "") << "of what is only projected";
  for (const std::size_t row : {2U, 3U}) {
    const double machine = std::stod(lines[row].cells[12]);
    EXPECT_GT(machine, 0);
    EXPECT_LT(machine, 30) << "other programs may have had the cores";
    EXPECT_EQ(lines[row].cells[10], "yes");
  }
}

TEST_F(Scale, BadListsAreRefused) {
  const std::string problem = file("p.json", kDiamond);
  for (const char* const flag :
       {"--threads", "--grain-size", "--beam-width", "--tokens", "--project"}) {
    for (const char* const list :
         {"", ",", "1,", "1,,2", "0", "-1", "1.5", "x", "1,1", "1 2", "1,99999999999999999999"}) {
      const RunResult result = tilebeam({"scale", problem, flag, list});
      EXPECT_EQ(result.exitCode, 2) << flag << " '" << list << "' " << result.err;
      EXPECT_EQ(result.out, "");
    }
  }
  EXPECT_EQ(tilebeam({"scale", problem, "--threads", "1025"}).exitCode, 2);
  EXPECT_EQ(tilebeam({"scale", problem, "--repeat", "0"}).exitCode, 2);
  EXPECT_EQ(tilebeam({"scale", problem, "--max-rounds", "0"}).exitCode, 2);
  EXPECT_EQ(tilebeam({"scale", problem, "--copies", "2"}).exitCode, 2);
  EXPECT_EQ(tilebeam({"scale", problem, "--csv", problem}).exitCode, 2);
  EXPECT_EQ(tilebeam({"scale", problem, "--csv", path("x"), "--svg", path("x")}).exitCode, 2);
  EXPECT_THAT(tilebeam({"scale", problem, "--threads", "1,1"}).err, HasSubstr("1 twice"));
  EXPECT_EQ(contentOf(problem), kDiamond);
}

TEST_F(Scale, FilesThatCannotBe) {
  EXPECT_EQ(tilebeam({"scale", path("none.json")}).exitCode, 3);
  const std::string problem = file("p.json", kDiamond);
  EXPECT_EQ(tilebeam({"scale", problem, "--repeat", "1", "--csv", path("none/s.csv")}).exitCode, 5);
}

}  // namespace
}  // namespace tilebeam::test
