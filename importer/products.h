// Nodes that become MatMul ops.
#pragma once

#include "importer/value_table.h"

namespace tilebeam::importer {

void lowerMatMul(const Node& node, std::int64_t blocks, ValueTable& values);
void lowerGemm(const Node& node, ValueTable& values);

// A convolution whose patches do not overlap is a product of the weights and the matrix of patches.
void lowerConv(const Node& node, ValueTable& values);

}  // namespace tilebeam::importer
