// A problem's graph in the making, in the words of neural networks.
//
// A draft has room for a fixed number of ops. Once it is full, whatever is added is dropped and
// gets an invalid id, so that a structure cut short anywhere is a well-formed graph: each op only
// takes what earlier ones left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "benchmarks/generator/setting.h"
#include "tilebeam/problem.h"

namespace tilebeam::generator {

class Draft {
 public:
  Draft(int ops, const Setting& setting, const Rng& rng);

  int left() const { return room_ - static_cast<int>(ops_.size()); }
  bool full() const { return left() <= 0; }
  Rng& rng() { return rng_; }
  const Setting& setting() const { return setting_; }

  // One of the choices; with ragged sizes up to a quarter less, and no multiple of a native side.
  std::int64_t edge(std::initializer_list<std::int64_t> choices);
  std::int64_t edgeNear(std::int64_t size);

  // A graph input, if an op comes to take it; else it is left out in the end.
  TensorId input(std::int64_t rows, std::int64_t columns);

  TensorId multiply(TensorId lhs, TensorId rhs);  // both activations
  TensorId project(TensorId x, TensorId weights);
  TensorId project(TensorId x, std::int64_t columns);   // x times weights of its own
  TensorId projectLeft(std::int64_t rows, TensorId x);  // weights of its own times x
  TensorId activate(TensorId x);
  TensorId add(const std::vector<TensorId>& parts);

  // Sums up all parts by adds of `fanIn` inputs at most: sumOps(parts, fanIn) ops.
  TensorId sum(const std::vector<TensorId>& parts, std::size_t fanIn, bool balanced);
  static int sumOps(int parts, int fanIn) { return (parts - 1 + fanIn - 2) / (fanIn - 1); }

  // A tail of Pointwise ops, until the draft is full.
  void fill(TensorId x);

  // Numbers the ops anew at random, so that their order says nothing.
  void shuffleOps();

  // Leaves out the tensors that no op touches. The draft is empty thereafter.
  void take(std::vector<Tensor>& tensors, std::vector<Op>& ops);

 private:
  TensorId append(OpType type, double cost, std::vector<TensorId> inputs, Tensor shape);
  TensorId matMul(TensorId lhs, TensorId rhs, double cost);

  int room_;
  Setting setting_;
  Rng rng_;
  std::vector<Tensor> tensors_;
  std::vector<Op> ops_;
};

}  // namespace tilebeam::generator
