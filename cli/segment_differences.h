#pragma once

#include <string>
#include <vector>

#include "cli/schedule_alignment.h"

namespace tilebeam::cli {

// What tells the two sides of a segment apart, of
//   grouping       ops are put together in other steps
//   order          the same steps in another order
//   recomputation  other ops are run again
//   granularity    of steps with the same ops
//   traversal      of steps with the same ops and tiles
//   retention      other tensors are retained
//   storing        other tensors are stored
//   residents      the segment finds other tensors in fast memory
std::vector<std::string> differencesOf(const Problem& problem, const JudgedSchedule& a,
                                       const JudgedSchedule& b, const Segment& segment);

}  // namespace tilebeam::cli
