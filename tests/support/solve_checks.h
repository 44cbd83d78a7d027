// What must hold of every result of the solver.
#pragma once

#include <string>

#include "benchmarks/generator/generator.h"
#include "tilebeam/schedule_evaluator.h"
#include "tilebeam/solver.h"

namespace tilebeam::test {

Problem generated(const std::string& kind, int ops, std::uint64_t seed = 1,
                  generator::Memory memory = generator::Memory::kContest);

// No clock, so that the work is the same every time.
SolverOptions roundsOnly(std::int64_t rounds, int threads);

// The schedule is valid, the evaluator agrees on every latency, no bound is broken, and the history
// gets strictly better and ends with the result.
void expectSound(const Problem& problem, const SolveResult& result,
                 SimulatorChoice simulator = SimulatorChoice::kFastest);

// The schedule file that the result would be written as.
std::string written(const Problem& problem, const SolveResult& result);

}  // namespace tilebeam::test
