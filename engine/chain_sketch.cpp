#include "engine/chain_sketch.h"

namespace tilebeam {

void ChainSketch::append(const StepChain& chain, std::size_t from) {
  for (std::size_t i = from; i < chain.size(); ++i) {
    const PlannedStep& step = chain[i];
    steps_.push_back({&step.ops, &step.retained, &step, step.best});
  }
}

double ChainSketch::latency() const {
  double sum = 0;
  for (const SketchedStep& step : steps_) sum += step.best.latency;
  return sum;
}

StepChain ChainSketch::chain() const {
  StepChain chain;
  chain.reserve(steps_.size());
  for (const SketchedStep& step : steps_) {
    if (step.known != nullptr) {
      chain.push_back(*step.known);
    } else {
      chain.push_back({*step.ops, *step.retained, step.best, {}});
    }
  }
  return chain;
}

}  // namespace tilebeam
