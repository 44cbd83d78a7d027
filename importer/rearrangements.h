// Nodes that compute nothing: the same tensors under another name or shape where that is possible,
// else copies.
#pragma once

#include "importer/value_table.h"

namespace tilebeam::importer {

void lowerRename(const Node& node, ValueTable& values);
void lowerReshape(const Node& node, ValueTable& values);
void lowerTranspose(const Node& node, ValueTable& values);
void lowerSplit(const Node& node, ValueTable& values);

}  // namespace tilebeam::importer
