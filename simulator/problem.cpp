#include "tilebeam/problem.h"

#include <string>

#include "tilebeam/errors.h"

namespace tilebeam {
namespace {

// Working sets add up to eight kinds of slices of every tensor; eight times this still fits.
constexpr std::int64_t kMaxTotalArea = std::int64_t{1} << 59;
// Costs and the bandwidth stay so far from the ends of double that no total leaves them.
constexpr double kMaxCost = 1e100;
constexpr std::size_t kMaxCount = std::size_t{1} << 30;  // ids are 32 bits wide

std::string where(const char* what, std::size_t index) {
  return std::string(what) + " " + std::to_string(index) + ": ";
}

std::string shapeOf(const Tensor& t) {
  return std::to_string(t.width) + " x " + std::to_string(t.height);
}

void checkTensors(const std::vector<Tensor>& tensors) {
  if (tensors.size() > kMaxCount) throw InputError("more than 2^30 tensors");
  std::int64_t total = 0;
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    const auto [width, height] = tensors[t];
    if (width <= 0 || height <= 0) {
      throw InputError(where("tensor", t) + "width and height must be positive, not " +
                       shapeOf(tensors[t]));
    }
    std::int64_t area = 0;
    if (__builtin_mul_overflow(width, height, &area) || area > kMaxTotalArea - total) {
      throw InputError(where("tensor", t) + shapeOf(tensors[t]) +
                       " is too large; the areas of all tensors may sum to 2^59 at most");
    }
    total += area;
  }
}

void checkHardware(const Hardware& hardware) {
  if (hardware.fastMemoryCapacity <= 0) {
    throw InputError("fast_memory_capacity: must be positive");
  }
  if (!(hardware.slowMemoryBandwidth >= 1 / kMaxCost && hardware.slowMemoryBandwidth <= kMaxCost)) {
    throw InputError("slow_memory_bandwidth: must be positive, from 1e-100 to 1e100");
  }
  if (hardware.nativeWidth <= 0 || hardware.nativeHeight <= 0) {
    throw InputError("native_granularity: both entries must be positive");
  }
}

void checkReferences(const Op& op, std::size_t o, std::size_t tensorCount) {
  const auto check = [&](TensorId t, const char* role) {
    if (!t.valid() || t.index() >= tensorCount) {
      throw InputError(where("op", o) + role + " " + std::to_string(t.value()) +
                       " is not a tensor; there are " + std::to_string(tensorCount));
    }
  };
  for (const TensorId t : op.inputs) check(t, "input");
  check(op.output, "output");
}

void checkMatMul(const Op& op, std::size_t o, const std::vector<Tensor>& tensors) {
  if (op.inputs.size() != 2) {
    throw InputError(where("op", o) + "a MatMul takes exactly two inputs, not " +
                     std::to_string(op.inputs.size()));
  }
  const Tensor& lhs = tensors[op.inputs[0].index()];
  const Tensor& rhs = tensors[op.inputs[1].index()];
  const Tensor& out = tensors[op.output.index()];
  if (lhs.width != rhs.height) {
    throw InputError(where("op", o) +
                     "a MatMul's LHS has as many columns as its RHS has rows, not " +
                     std::to_string(lhs.width) + " and " + std::to_string(rhs.height));
  }
  const Tensor expected{rhs.width, lhs.height};
  if (out != expected) {
    throw InputError(where("op", o) + "a MatMul of these inputs outputs " + shapeOf(expected) +
                     ", not " + shapeOf(out));
  }
}

void checkPointwise(const Op& op, std::size_t o, const std::vector<Tensor>& tensors) {
  if (op.inputs.empty()) {
    throw InputError(where("op", o) + "a Pointwise takes at least one input");
  }
  const Tensor& out = tensors[op.output.index()];
  for (const TensorId t : op.inputs) {
    if (tensors[t.index()] == out) continue;
    throw InputError(where("op", o) + "every input of a Pointwise has its output's shape " +
                     shapeOf(out) + ", but tensor " + std::to_string(t.value()) + " is " +
                     shapeOf(tensors[t.index()]));
  }
}

void checkOps(const std::vector<Op>& ops, const std::vector<Tensor>& tensors) {
  if (ops.empty()) throw InputError("the problem has no op");
  if (ops.size() > kMaxCount) throw InputError("more than 2^30 ops");
  for (std::size_t o = 0; o < ops.size(); ++o) {
    const Op& op = ops[o];
    if (!(op.baseCost >= 0 && op.baseCost <= kMaxCost)) {
      throw InputError(where("op", o) + "the base cost must be from 0 to 1e100");
    }
    checkReferences(op, o, tensors.size());
    op.isMatMul() ? checkMatMul(op, o, tensors) : checkPointwise(op, o, tensors);
  }
}

}  // namespace

const char* name(OpType type) { return type == OpType::kMatMul ? "MatMul" : "Pointwise"; }

Problem::Problem(std::vector<Tensor> tensors, std::vector<Op> ops, Hardware hardware)
    : tensors_(std::move(tensors)), ops_(std::move(ops)), hardware_(hardware) {
  checkTensors(tensors_);
  checkHardware(hardware_);
  checkOps(ops_, tensors_);
  graph_ = Graph(tensors_.size(), ops_);
}

}  // namespace tilebeam
