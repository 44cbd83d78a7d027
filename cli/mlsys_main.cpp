// The contest's interface: a problem in, a schedule out, and a time limit that follows from the
// size of the problem.
#include <CLI/CLI.hpp>

#include "cli/contest_clock.h"
#include "cli/early_start.h"
#include "cli/file_roles.h"
#include "cli/incumbent_file.h"
#include "cli/output_option.h"
#include "cli/program.h"
#include "cli/stop_signals.h"
#include "cli/stopwatch.h"
#include "cli/streams.h"

namespace cli = tilebeam::cli;

namespace {

cli::ExitCode run(const std::string& problemPath, const std::string& schedulePath,
                  const cli::Stopwatch& sinceStart, tilebeam::CancellationToken& stop) {
  cli::FileRoles files;
  files.addInput(problemPath);
  files.addOutput(schedulePath);
  files.requireWritable();
  const tilebeam::Problem problem = cli::loadProblem(problemPath);
  tilebeam::SolverOptions options;
  options.timeLimit = cli::contestTimeLimit(problem.opCount(), sinceStart.seconds());
  cli::solveUntil(stop, problem, problemPath, options, schedulePath);
  return cli::ExitCode::kDone;
}

// From now on a signal means: write the first schedule that there is.
void start(int /*argc*/, char** /*argv*/, char** /*environment*/) noexcept { cli::stopOnSignals(); }

TILEBEAM_START_EARLY(start);

}  // namespace

int main(int argc, char** argv) {
  start(argc, argv, nullptr);
  const cli::Stopwatch sinceStart;
  std::string problem;
  std::string schedule;
  return cli::runProgram(
      "mlsys", "Schedules a problem within the contest's time limit for its size", argc, argv,
      [&](CLI::App& parser, cli::Action& action) {
        parser.add_option("PROBLEM", problem, "The problem, JSON")->required();
        cli::addOutputOption(parser, "SCHEDULE", schedule, "The schedule to write, JSON")
            ->required();
        parser.footer("Example: mlsys problem.json schedule.json");
        action = [&] { return run(problem, schedule, sinceStart, cli::stopOnSignals()); };
      });
}
