// Whether bytes can be the beginning of an ONNX model.
#pragma once

#include <cstddef>
#include <string_view>

namespace tilebeam::importer {

// A StartCheck (simulator/files.h), so that an endless stream costs nothing. Throws InputError.
bool beginsModel(std::string_view start, std::size_t seen);

}  // namespace tilebeam::importer
