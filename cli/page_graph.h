// The graph of the page, placed: a box per step, in it the runs of its ops.
#pragma once

#include "cli/json_values.h"
#include "cli/schedule_picture.h"

namespace tilebeam::cli {

// {"width", "height", "boxes": [[x, y, width, height] of each step],
//  "runs": [[step, op, x, y, width, height]], "edges": [[run, run, tensor, retained]]}, or null if
// the schedule has too many runs to draw.
Json pageGraph(const SchedulePicture& picture);

}  // namespace tilebeam::cli
