// The graph as pictures draw it: ops and tensors are nodes. Under a schedule a node is one run of
// an op, or one production of a tensor, and belongs to a step; an op that runs twice is there
// twice.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/schedule_picture.h"

namespace tilebeam::cli {

struct PictureNode {
  OpId op;          // either this
  TensorId tensor;  // or this is valid
  std::optional<std::size_t> step;
  bool stored = false;    // of a tensor: this step stores it
  bool retained = false;  // of a tensor: this step retains it

  bool isOp() const { return op.valid(); }
};

struct PictureEdge {
  std::size_t from = 0;
  std::size_t to = 0;
  bool retained = false;  // from one step to the next without slow memory
};

// Every edge leads to a later node. Nodes of a step are together, counted among the steps shown;
// graph inputs, and what steps before those made, have no step.
struct PictureGraph {
  std::vector<PictureNode> nodes;
  std::vector<PictureEdge> edges;
};

// The first kMostDrawnOps ops, producers first.
PictureGraph pictureGraph(const Problem& problem);
PictureGraph pictureGraph(const SchedulePicture& picture);

// Unlike those of all other nodes: "op3", "t5", and "s2_op3", "s2_t5" in step 2. `first` is the
// number of the first step shown.
std::string nodeName(const PictureNode& node, std::size_t first);

// "32×64", rows × columns.
std::string shapeText(const Tensor& tensor);

}  // namespace tilebeam::cli
