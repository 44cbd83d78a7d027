// Ruin and recreate: trials on the steps of a window, side by side.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/regrouping.h"
#include "engine/trace_recorder.h"

namespace tilebeam {

// How many trials run at once follows from what they come to, not from how many workers there are;
// so does the result.
class RegroupingTrials {
 public:
  RegroupingTrials(const RegroupingScope& scope, std::vector<StepChain> chains,
                   TraceRecorder& recorder);

  // So many, drawn by `seed`. True if they came to something better.
  bool run(std::size_t count, std::uint64_t seed);

  // The best that was found, if any.
  std::vector<StepChain> takeBest() { return std::move(best_); }

 private:
  void setLanes(std::size_t count);
  bool accept(const Trial& trial, double loss);

  const RegroupingScope& scope_;
  TraceRecorder& recorder_;
  std::vector<Regrouping> lanes_;  // all the same
  std::vector<StepChain> best_;
  double latency_ = 0;  // of what the lanes are at
  double least_ = 0;
};

}  // namespace tilebeam
