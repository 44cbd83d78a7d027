// The scheduling problem: tensors, ops, hardware (docs/cost-model.md, section 1). Immutable, and
// validated once on construction.
//
// Units: sizes and the capacity count tensor elements, the bandwidth elements per time unit, costs
// time units.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tilebeam/graph.h"
#include "tilebeam/id.h"

namespace tilebeam {

struct Tensor {
  std::int64_t width = 0;   // columns
  std::int64_t height = 0;  // rows

  std::int64_t area() const { return width * height; }
  friend bool operator==(const Tensor&, const Tensor&) = default;
};

enum class OpType : std::uint8_t { kMatMul, kPointwise };

// "MatMul" or "Pointwise", as problem files spell it.
const char* name(OpType type);

struct Op {
  OpType type = OpType::kPointwise;
  double baseCost = 0;           // time of one native execution
  std::vector<TensorId> inputs;  // MatMul: exactly LHS, RHS
  TensorId output;

  bool isMatMul() const { return type == OpType::kMatMul; }
};

struct Hardware {
  std::int64_t fastMemoryCapacity = 0;  // elements
  double slowMemoryBandwidth = 0;       // elements per time unit
  std::int64_t nativeWidth = 0;         // nw, also the native reduction depth nk
  std::int64_t nativeHeight = 0;        // nh

  std::int64_t nativeDepth() const { return nativeWidth; }
};

// Which reduction depth an op's base cost covers (cost model, section 5).
enum class DepthReading : std::uint8_t { kNative, kFull };

class Problem {
 public:
  // Throws InputError, naming the op or tensor and the rule, unless the problem is well formed:
  // positive sizes whose areas sum to at most 2^59, finite non-negative costs, positive hardware,
  // known tensors, at most one producer each, matching shapes, no cycle, at least one op.
  Problem(std::vector<Tensor> tensors, std::vector<Op> ops, Hardware hardware);

  std::size_t tensorCount() const { return tensors_.size(); }
  std::size_t opCount() const { return ops_.size(); }
  const Tensor& tensor(TensorId t) const { return tensors_[t.index()]; }
  const Op& op(OpId o) const { return ops_[o.index()]; }
  std::span<const Tensor> tensors() const { return tensors_; }
  std::span<const Op> ops() const { return ops_; }
  const Hardware& hardware() const { return hardware_; }
  const Graph& graph() const { return graph_; }

  // The reduction length of a MatMul: the columns of its LHS.
  std::int64_t reduction(OpId o) const { return tensor(op(o).inputs[0]).width; }

  bool isGraphInput(TensorId t) const {
    return !graph_.producer(t).valid() && !graph_.consumers(t).empty();
  }
  bool isGraphOutput(TensorId t) const {
    return graph_.producer(t).valid() && graph_.consumers(t).empty();
  }

 private:
  std::vector<Tensor> tensors_;
  std::vector<Op> ops_;
  Hardware hardware_;
  Graph graph_;
};

}  // namespace tilebeam
