// Mutation campaign over problem and schedule files, in one process.
// Usage: tilebeam_mutation_campaign [--count N] [--seed S] [--seconds T] [--solve-every N]
//        tilebeam_mutation_campaign --print problem|schedule NUMBER [--seed S]
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <iostream>

#include "fuzz/campaign.h"

namespace {

using tilebeam::fuzz::Campaign;
using tilebeam::fuzz::Target;

// For a mutant that never returns: ends the process loudly.
void armAlarm(unsigned seconds) {
  std::signal(SIGALRM, [](int) {
    constexpr char kText[] = "campaign: out of time\n";
    _exit(::write(STDERR_FILENO, kText, sizeof kText - 1) > 0 ? 1 : 2);
  });
  ::alarm(seconds);
}

std::int64_t run(const Campaign& campaign, Target target, std::int64_t count, double seconds,
                 std::int64_t solveEvery) {
  const Campaign::Account account = campaign.run(target, count, seconds, solveEvery);
  const auto& [refused, judged, compared, valid] = account.outcomes;
  std::cout << (target == Target::kProblem ? "problems: " : "schedules: ") << count << " mutants, "
            << refused << " refused, " << judged << " judged by the default simulator alone, "
            << compared << " invalid and " << valid << " valid in both simulators, "
            << account.solved << " solved, slowest " << account.slowestSeconds << " s, "
            << account.faults << " faults" << std::endl;
  return account.faults;
}

}  // namespace

int main(int argc, char** argv) {
  std::int64_t count = 1'000;
  std::int64_t solveEvery = 200;
  std::uint64_t seed = 1;
  double seconds = 2;
  unsigned alarmAfter = 3'600;
  std::vector<std::string> print;
  CLI::App parser("Mutates problem and schedule files", "tilebeam_mutation_campaign");
  parser.add_option("--count", count, "Mutants of problems, and as many of schedules");
  parser.add_option("--seed", seed, "Seed of all mutants");
  parser.add_option("--seconds", seconds, "A mutant that takes more processor time is a fault");
  parser.add_option("--solve-every", solveEvery, "Solve every N-th accepted problem; 0: none");
  parser.add_option("--alarm", alarmAfter, "Give up after so many seconds");
  parser.add_option("--print", print, "Print one mutant: problem|schedule NUMBER")->expected(2);
  CLI11_PARSE(parser, argc, argv);
  armAlarm(alarmAfter);
  const Campaign campaign(tilebeam::fuzz::specimens(), seed);
  if (!print.empty()) {
    const Target target = print[0] == "problem" ? Target::kProblem : Target::kSchedule;
    std::cout << campaign.mutant(target, std::stoll(print[1]));
    return 0;
  }
  const std::int64_t faults = run(campaign, Target::kProblem, count, seconds, solveEvery) +
                              run(campaign, Target::kSchedule, count, seconds, solveEvery);
  return faults == 0 ? 0 : 1;
}
