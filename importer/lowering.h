// From a model to a problem (docs/import.md).
#pragma once

#include <string>
#include <vector>

#include "importer/hardware_file.h"
#include "importer/model.h"
#include "importer/problem_draft.h"

namespace tilebeam::importer {

struct Imported {
  Problem problem;
  std::vector<Origin> origins;  // of each op
  // One line for each value that is rearranged in slow memory: stored, and loaded again as a tensor
  // of another shape, which is a graph input of the problem.
  std::vector<std::string> copies;
};

// Throws InputError, naming the node, where the problem format cannot express what it does.
Imported lower(const Model& model, const HardwareDescription& hardware);

}  // namespace tilebeam::importer
