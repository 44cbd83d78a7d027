// What the import makes of each type of node (docs/import.md).
#pragma once

#include <cstdint>
#include <string>

namespace tilebeam::importer {

enum class OpClass : std::uint8_t {
  kMatMul,
  kGemm,
  kConv,         // where its patches do not overlap
  kElementwise,  // broadcasting allowed
  kRowwise,      // shape kept, each row on its own: Softmax, LayerNormalization
  kReduction,
  kRename,   // the value under another name: Identity, Cast
  kReshape,  // the same elements in the same order
  kTranspose,
  kSplit,
  kMovement,  // other ops that compute nothing: Concat, Slice, Gather
  kUnsupported
};

OpClass classify(const std::string& type);

}  // namespace tilebeam::importer
