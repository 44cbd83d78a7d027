// An explanation of a step as text, for people and for programs.
#pragma once

#include <string>

#include "cli/step_explanation.h"

namespace tilebeam::cli {

std::string explanationText(const Problem& problem, const Schedule& schedule,
                            const Evaluation& evaluation, const StepExplanation& explanation);

std::string explanationJson(const Problem& problem, const Schedule& schedule,
                            const StepExplanation& explanation);

}  // namespace tilebeam::cli
