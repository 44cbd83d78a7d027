// What one input is put through, by the fuzzers, by the replay of their corpus and by the mutation
// campaign. Input that is refused with InputError is fine; whatever is accepted must keep its word.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace tilebeam::fuzz {

enum class Outcome : std::uint8_t {
  kRefused,   // InputError
  kJudged,    // accepted, but for the literal simulator it is too much work
  kCompared,  // accepted, and both simulators agree that it is invalid
  kValid      // accepted, and both agree on its cost
};

struct Limits {
  double literalWork = 20'000;     // iterations times inputs of ops
  std::size_t operations = 1'000;  // larger problems are parsed and written, not scheduled
};

// A problem file: what is accepted is written and read back the same, and evaluates the same in
// both simulators under single-op schedules and under `schedule`, a schedule file or empty.
Outcome checkProblem(std::string_view text, std::string_view schedule, const Limits& limits = {});

// A schedule file, for a problem that is well formed.
Outcome checkSchedule(std::string_view problem, std::string_view text, const Limits& limits = {});

// Any bytes, read as a small problem with a schedule (see structured_case.h).
Outcome checkEvaluation(std::span<const std::uint8_t> bytes, const Limits& limits = {});

// The problem that the schedule fuzzer's inputs are for.
std::string_view scheduleFuzzerProblem();

}  // namespace tilebeam::fuzz
