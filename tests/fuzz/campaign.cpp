#include "fuzz/campaign.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <exception>
#include <iostream>

#include "fuzz/agreement.h"
#include "fuzz/checks.h"
#include "fuzz/mutator.h"
#include "tilebeam/errors.h"
#include "tilebeam/json_io.h"
#include "tilebeam/solver.h"

namespace tilebeam::fuzz {
namespace {

const char* name(Target target) { return target == Target::kProblem ? "problem" : "schedule"; }

// Extreme numbers must not make the search go astray: it ends in time, and what it returns is valid
// and costs what it says.
void checkSolver(const std::string& text) {
  SolverOptions options;
  options.threads = 1;
  options.maxRounds = 1;
  options.timeLimit = 0.2;
  const Problem problem = parseProblem(text);
  try {
    const SolveResult result = solve(problem, options);
    const Evaluation evaluation = ScheduleEvaluator(problem).evaluate(result.schedule);
    if (!evaluation.valid()) throw Fault("solver: " + evaluation.violation->message());
    if (std::abs(evaluation.totalLatency - result.totalLatency) > 1e-9 * result.totalLatency) {
      throw Fault("solver: the total is not the evaluator's");
    }
  } catch (const InfeasibleError&) {
  }
}

}  // namespace

std::uint64_t Campaign::seedOf(Target target, std::int64_t number) const {
  constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15U;  // spreads neighbours
  return (seed_ * 2 + (target == Target::kProblem ? 0 : 1)) * kOdd +
         static_cast<std::uint64_t>(number) * (kOdd ^ 0x55555554U);
}

std::string Campaign::mutant(Target target, std::int64_t number) const {
  test::Random random(seedOf(target, number));
  const Specimen& specimen = specimens_[static_cast<std::size_t>(number) % specimens_.size()];
  return fuzz::mutant(target == Target::kProblem ? specimen.problem : specimen.schedule, random);
}

void Campaign::check(Target target, std::int64_t number, std::int64_t solveEvery,
                     Account& account) const {
  const Specimen& specimen = specimens_[static_cast<std::size_t>(number) % specimens_.size()];
  const std::string text = mutant(target, number);
  const Outcome outcome = target == Target::kProblem ? checkProblem(text, specimen.schedule)
                                                     : checkSchedule(specimen.problem, text);
  ++account.outcomes[static_cast<std::size_t>(outcome)];
  if (target != Target::kProblem || outcome == Outcome::kRefused || solveEvery == 0) return;
  const std::int64_t accepted = account.outcomes[1] + account.outcomes[2] + account.outcomes[3];
  if (accepted % solveEvery != 0) return;
  checkSolver(text);
  ++account.solved;
}

Campaign::Account Campaign::run(Target target, std::int64_t count, double seconds,
                                std::int64_t solveEvery) const {
  Account account;
  const auto complain = [&](std::int64_t number, const std::string& why) {
    std::cout << name(target) << ' ' << number << ": " << why << std::endl;
    ++account.faults;
  };
  for (std::int64_t number = 0; number < count; ++number) {
    const std::clock_t start = std::clock();  // of this process: other work may slow the machine
    try {
      check(target, number, solveEvery, account);
    } catch (const std::exception& error) {
      complain(number, error.what());
    }
    const double taken = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    account.slowestSeconds = std::max(account.slowestSeconds, taken);
    if (taken > seconds) complain(number, "took " + std::to_string(taken) + " s");
  }
  return account;
}

}  // namespace tilebeam::fuzz
