// Which values should come in blocks of columns.
//
// Attention takes its queries, keys and values head by head. Where they come from a MatMul with
// weights, the weights can be cut in blocks of columns, and the heads come out on their own: no
// rearrangement of data is needed. This pass goes from the outputs back, and finds for each value
// the number of blocks that all its users want.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "importer/model.h"

namespace tilebeam::importer {

// Number of blocks by value; values that are wanted whole are missing.
std::map<std::string, std::int64_t> findWantedBlocks(const Model& model);

}  // namespace tilebeam::importer
