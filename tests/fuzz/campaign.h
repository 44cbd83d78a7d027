// Many mutants of valid problems and schedules, each put through its checks, with an account.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tilebeam::fuzz {

enum class Target : std::uint8_t { kProblem, kSchedule };

// A valid problem and a valid schedule for it, as files.
struct Specimen {
  std::string problem;
  std::string schedule;
};

// Problems of every kind of the generator with schedules by the solver, and random graphs and steps
// with random schedules. Always the same.
std::vector<Specimen> specimens();

class Campaign {
 public:
  Campaign(std::vector<Specimen> specimens, std::uint64_t seed)
      : specimens_(std::move(specimens)), seed_(seed) {}

  struct Account {
    std::array<std::int64_t, 4> outcomes{};  // by Outcome
    std::int64_t solved = 0;                 // accepted problems that were put to the solver too
    std::int64_t faults = 0;
    double slowestSeconds = 0;
  };

  // The mutant with this number, which depends on the seed and the number alone.
  std::string mutant(Target target, std::int64_t number) const;

  // Mutants 0 to count - 1. Prints a line on stdout for each fault, or for each mutant that takes
  // more than `seconds` of processor time. One accepted problem in `solveEvery` is solved, too (0:
  // none).
  Account run(Target target, std::int64_t count, double seconds, std::int64_t solveEvery) const;

 private:
  std::uint64_t seedOf(Target target, std::int64_t number) const;
  void check(Target target, std::int64_t number, std::int64_t solveEvery, Account& account) const;

  std::vector<Specimen> specimens_;
  std::uint64_t seed_;
};

}  // namespace tilebeam::fuzz
