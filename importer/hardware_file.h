// The machine that a model is imported for (docs/file-formats.md, "Hardware").
#pragma once

#include <string>
#include <string_view>

#include "tilebeam/problem.h"

namespace tilebeam::importer {

// The default: a 128x128 array, a MatMul tile of 128x128x128 in 128 time units.
struct HardwareDescription {
  Hardware hardware{.fastMemoryCapacity = 262'144,
                    .slowMemoryBandwidth = 256,
                    .nativeWidth = 128,
                    .nativeHeight = 128};
  double matMulCost = 128;    // of one native tile, nk = nw deep
  double pointwiseCost = 32;  // of one native tile
};

// All keys are required. Throws InputError.
HardwareDescription parseHardware(std::string_view json);

}  // namespace tilebeam::importer
