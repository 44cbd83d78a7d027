// Solves a problem with the installed library: counts improvements as they come, and stops the
// search at the first one that beats single ops.
#include <tilebeam/json_io.h>
#include <tilebeam/schedule_evaluator.h>
#include <tilebeam/solver.h>

#include <iostream>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const tilebeam::Problem problem = tilebeam::parseProblem(tilebeam::readFile(argv[1]));
  tilebeam::SolverOptions options;
  options.timeLimit = 60;
  tilebeam::CancellationToken stop;
  int improvements = 0;
  tilebeam::SolverCallbacks callbacks;
  callbacks.onIncumbent = [&](const tilebeam::Incumbent& incumbent, const tilebeam::Schedule&,
                              const std::vector<double>&) {
    ++improvements;
    if (incumbent.round > 0) stop.cancel();
  };
  const tilebeam::SolveResult result = tilebeam::solve(problem, options, callbacks, &stop);
  const auto evaluation = tilebeam::ScheduleEvaluator(problem).evaluate(result.schedule);
  std::cout << name(result.status) << ' ' << (evaluation.valid() ? "valid" : "invalid") << ' '
            << (improvements >= 2 ? "improved" : "not improved") << '\n';
  return 0;
}
