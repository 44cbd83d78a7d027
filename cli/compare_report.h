// Two schedules side by side as text, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "cli/schedule_alignment.h"

namespace tilebeam::cli {

std::string comparisonText(const Problem& problem, const JudgedSchedule& a, const JudgedSchedule& b,
                           const std::vector<Segment>& segments);

std::string comparisonJson(const JudgedSchedule& a, const JudgedSchedule& b,
                           const std::vector<Segment>& segments);

}  // namespace tilebeam::cli
