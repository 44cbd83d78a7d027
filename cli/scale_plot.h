// The speedups of a scaling study as a picture.
#pragma once

#include <string>

#include "cli/scale_study.h"

namespace tilebeam::cli {

// SVG that needs nothing else: the ideal, what was measured and what is projected, on logarithmic
// axes.
std::string scalePlot(const ScaleStudy& study, const std::string& title);

}  // namespace tilebeam::cli
