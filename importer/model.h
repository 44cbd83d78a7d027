// A neural network as far as the import needs it: nodes, shapes, which values are constant. Knows
// nothing of ONNX's own types, which stay in onnx_reader.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tilebeam/errors.h"

namespace tilebeam::importer {

using Dims = std::vector<std::int64_t>;

struct Node {
  std::string name;  // "" if the model gives none
  std::string type;  // "MatMul", "Softmax", ...
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::map<std::string, std::vector<std::int64_t>> integers;  // attributes: lists, or single ones
  std::map<std::string, std::string> texts;

  // "node 'encoder/qk' (MatMul)"; by its output where it has no name
  std::string title() const;
  std::int64_t integer(const std::string& attribute, std::int64_t fallback) const;
};

struct Model {
  std::vector<Node> nodes;  // producers first; each of use to some output
  std::map<std::string, Dims> shapes;
  std::set<std::string> constants;                            // weights and what follows from them
  std::map<std::string, std::vector<std::int64_t>> integers;  // values of short integer constants
  std::set<std::string> outputs;

  std::int64_t opset = 0;  // version of ONNX's own ops

  bool constant(const std::string& value) const { return constants.contains(value); }
  // Throws InputError if it is not known.
  const Dims& shape(const std::string& value) const;
};

// What the model leaves open: the size of each dimension that has only a name.
using NamedDimensions = std::map<std::string, std::int64_t>;

// A size was given for a dimension that the model does not leave open.
class UnknownDimension : public InputError {
 public:
  using InputError::InputError;
};

// Reads an ONNX file's content and infers all shapes. Throws InputError that names the value, node
// or dimension, or says that the ONNX library is not there.
Model readOnnx(std::string_view content, const NamedDimensions& dimensions);

}  // namespace tilebeam::importer
