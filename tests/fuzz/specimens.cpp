#include <algorithm>

#include "benchmarks/generator/generator.h"
#include "fuzz/campaign.h"
#include "support/random_schedules.h"
#include "tilebeam/json_io.h"
#include "tilebeam/solver.h"

namespace tilebeam::fuzz {
namespace {

Specimen specimen(const Problem& problem, const Schedule& schedule) {
  const Evaluation evaluation = ScheduleEvaluator(problem).evaluate(schedule);
  std::vector<double> latencies;
  for (const StepReport& report : evaluation.steps) {
    latencies.push_back(report.account.cost.latency);
  }
  return {writeProblem(problem), writeSchedule(problem, schedule, latencies)};
}

void addGenerated(std::vector<Specimen>& list) {
  SolverOptions options;
  options.threads = 1;
  options.maxRounds = 2;
  for (const generator::Kind& kind : generator::kinds()) {
    for (const int ops : {3, 9}) {
      const Problem problem = generator::generate(
          {.kind = kind.name, .ops = std::clamp(ops, kind.minOps, kind.maxOps), .seed = 1});
      list.push_back(specimen(problem, solve(problem, options).schedule));
    }
  }
}

void addRandom(std::vector<Specimen>& list) {
  test::Random random(1);
  for (int i = 0; i < 40; ++i) {
    const Problem problem = i % 2 == 0 ? test::randomDag(random, random.between(2, 9))
                                       : test::randomStepProblem(random);
    if (const auto schedule = test::randomSchedule(problem, random)) {
      list.push_back(specimen(problem, *schedule));
    }
  }
}

}  // namespace

std::vector<Specimen> specimens() {
  std::vector<Specimen> list;
  addGenerated(list);
  addRandom(list);
  return list;
}

}  // namespace tilebeam::fuzz
