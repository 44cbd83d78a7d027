// What the module tilebeam_onnx.so offers. Both sides come from one build, so that C++ may pass
// between them, exceptions included.
#pragma once

#include <string_view>

#include "importer/model.h"

extern "C" [[gnu::visibility("default")]] void tilebeamReadOnnx(
    std::string_view content, const tilebeam::importer::NamedDimensions& dimensions,
    tilebeam::importer::Model& model);
