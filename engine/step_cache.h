// Scored steps, shared by all workers. The same subgraph comes up in thousands of states, and the
// same shape in every layer of a model; each is optimised once.
#pragma once

#include <oneapi/tbb/concurrent_unordered_map.h>
#include <oneapi/tbb/concurrent_unordered_set.h>

#include <array>
#include <numeric>

#include "engine/step_optimiser.h"
#include "engine/step_shape.h"

namespace tilebeam {

// While workers are at work, entries are only ever added, and equal keys have equal values, so
// reads take no lock and a lost race costs nothing but work.
class StepCache {
 public:
  const BestStep* find(const StepKey& key) const {
    const Steps& steps = parts_[partOf(key.shape.low)].steps;
    const auto it = steps.find(key);
    return it == steps.end() ? nullptr : &it->second;
  }
  const BestStep& insert(const StepKey& key, const BestStep& step) {
    return parts_[partOf(key.shape.low)].steps.emplace(key, step).first->second;
  }
  // Only while no worker adds or reads that entry.
  void improve(const StepKey& key, const BestStep& step) {
    Steps& steps = parts_[partOf(key.shape.low)].steps;
    const auto it = steps.find(key);
    if (it != steps.end() && step.latency < it->second.latency) it->second = step;
  }
  std::size_t size() const {
    return std::accumulate(parts_.begin(), parts_.end(), std::size_t{0},
                           [](std::size_t sum, const Part& p) { return sum + p.steps.size(); });
  }

  // True the first time it is asked about a step: for the one who is to score it. A step whose hash
  // is another's may never be.
  bool claim(const StepKey& key) {
    const std::size_t hash = StepKeyHash()(key);
    return parts_[partOf(hash)].claimed.insert(hash).second;
  }

  // Forgets a part of all, any of them at once. While no worker adds or reads. To give back the
  // memory of a hundred thousand steps takes one thread as long as a round does on many.
  static constexpr std::size_t kParts = 16;
  void forget(std::size_t part) {
    parts_[part].steps = {};
    parts_[part].claimed = {};
  }

 private:
  using Steps = oneapi::tbb::concurrent_unordered_map<StepKey, BestStep, StepKeyHash>;

  struct Part {
    Steps steps;
    oneapi::tbb::concurrent_unordered_set<std::size_t> claimed;
  };

  // By the first bits of a digest.
  static std::size_t partOf(std::uint64_t digest) { return digest >> 60; }

  std::array<Part, kParts> parts_;
};

}  // namespace tilebeam
