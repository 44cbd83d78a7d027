// What the evaluator says of a schedule, with both simulators, which must agree.
#pragma once

#include <string>
#include <vector>

#include "tilebeam/schedule_evaluator.h"

namespace tilebeam::test {

// Latency and the other sums within 1e-9 relative, the peak exactly.
void expectSame(const StepAccount& actual, const StepAccount& expected);

// With the fastest simulators; the literal one is held against it.
Evaluation evaluate(const Problem& problem, const std::vector<Step>& steps,
                    DepthReading depth = DepthReading::kNative);

// "valid", or why not.
std::string verdict(const Problem& problem, const std::vector<Step>& steps);

std::vector<double> latencies(const Evaluation& evaluation);
std::vector<std::int64_t> peaks(const Evaluation& evaluation);

}  // namespace tilebeam::test
