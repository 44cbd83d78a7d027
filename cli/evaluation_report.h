// An evaluation as text, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "tilebeam/problem.h"
#include "tilebeam/schedule.h"
#include "tilebeam/schedule_evaluator.h"

namespace tilebeam::cli {

// One per step whose reported latency is off by more than 1e-6 of the true one.
std::vector<std::string> latencyWarnings(const Schedule& schedule, const Evaluation& evaluation);

// Throws Failure(kInvalidSchedule) unless `schedule`, which came from `path`, is valid.
Evaluation requireValid(const Problem& problem, const Schedule& schedule, const std::string& path,
                        DepthReading depth);

// On stderr; the first ten.
void printWarnings(const std::string& path, const std::vector<std::string>& warnings);

std::string evaluationTable(const Problem& problem, const Schedule& schedule,
                            const Evaluation& evaluation);

std::string evaluationJson(const Schedule& schedule, const Evaluation& evaluation,
                           const std::vector<std::string>& warnings);

}  // namespace tilebeam::cli
