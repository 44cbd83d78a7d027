// A scaling study in words and numbers.
#pragma once

#include <string>

#include "cli/scale_study.h"

namespace tilebeam::cli {

std::string scaleTable(const ScaleStudy& study);

// Projected speedups beside the measured ones, and what limits them.
std::string projectionText(const ScaleStudy& study);

// One line per row of the study and per projected number of workers.
std::string scaleCsv(const ScaleStudy& study);

// "0" of a setting is "auto".
std::string settingText(int value);

// "grain 4, beam 512"; what is left to the solver is left out.
std::string settingText(const ScaleSetting& setting);

// The row of this setting with so many threads, null if there is none.
const ScaleRow* findRow(const ScaleStudy& study, const ScaleSetting& setting, int threads);

}  // namespace tilebeam::cli
