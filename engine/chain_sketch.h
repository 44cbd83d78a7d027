// A chain of steps that may come to be, told by what is there already: most are thought of, found
// no better and forgotten, so nothing is copied.
#pragma once

#include <vector>

#include "engine/plan.h"
#include "tilebeam/id.h"

namespace tilebeam {

// The order of tiles is left out until a plan is made of it.
using StepChain = std::vector<PlannedStep>;

// What it points to outlives it.
struct SketchedStep {
  const std::vector<OpId>* ops = nullptr;
  const std::vector<TensorId>* retained = nullptr;
  const PlannedStep* known = nullptr;  // null: a new one, or one in new company
  BestStep best;
};

class ChainSketch {
 public:
  ChainSketch() = default;
  explicit ChainSketch(const StepChain& chain) { append(chain); }

  // The steps from the `from`-th on.
  void append(const StepChain& chain, std::size_t from = 0);

  std::size_t size() const { return steps_.size(); }
  SketchedStep& operator[](std::size_t i) { return steps_[i]; }
  const SketchedStep& operator[](std::size_t i) const { return steps_[i]; }

  double latency() const;
  StepChain chain() const;

 private:
  std::vector<SketchedStep> steps_;
};

}  // namespace tilebeam
