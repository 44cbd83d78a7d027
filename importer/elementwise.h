// Nodes that become Pointwise ops, and the row statistics that are fused into them.
#pragma once

#include "importer/value_table.h"

namespace tilebeam::importer {

// `blocks`: how many blocks of columns the users want.
void lowerElementwise(const Node& node, std::int64_t blocks, ValueTable& values);

// Softmax and normalisations: the shape is kept, and each row needs all its columns.
void lowerRowwise(const Node& node, ValueTable& values);

// A reduction of the columns becomes a statistic, of the rows a MatMul with a row of weights.
void lowerReduction(const Node& node, ValueTable& values);

Origin originOf(const Node& node);

}  // namespace tilebeam::importer
