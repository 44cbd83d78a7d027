// Scored steps, shared by all workers. The same subgraph comes up in thousands of states, and the
// same shape in every layer of a model; each is optimised once.
#pragma once

#include <oneapi/tbb/concurrent_unordered_map.h>
#include <oneapi/tbb/concurrent_unordered_set.h>

#include <optional>

#include "engine/step_optimiser.h"
#include "engine/step_shape.h"

namespace tilebeam {

// While workers are at work, entries are only ever added, and equal keys have equal values, so
// reads take no lock and a lost race costs nothing but work.
class StepCache {
 public:
  const BestStep* find(const StepKey& key) const {
    const auto it = steps_.find(key);
    return it == steps_.end() ? nullptr : &it->second;
  }
  const BestStep& insert(const StepKey& key, const BestStep& step) {
    return steps_.emplace(key, step).first->second;
  }
  // Only while no worker adds or reads that entry.
  void improve(const StepKey& key, const BestStep& step) {
    const auto it = steps_.find(key);
    if (it != steps_.end() && step.latency < it->second.latency) it->second = step;
  }
  std::size_t size() const { return steps_.size(); }

  // True the first time it is asked about a step: for the one who is to score it. A step whose hash
  // is another's may never be.
  bool claim(const StepKey& key) { return claimed_.insert(StepKeyHash()(key)).second; }

 private:
  oneapi::tbb::concurrent_unordered_map<StepKey, BestStep, StepKeyHash> steps_;
  oneapi::tbb::concurrent_unordered_set<std::size_t> claimed_;
};

}  // namespace tilebeam
