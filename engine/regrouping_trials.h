// Ruin and recreate: trials on the steps of a window, side by side.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
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
  // A copy of the steps, brought up to date when it is needed.
  struct Lane {
    std::optional<Regrouping> steps;
    std::size_t applied = 0;  // of accepted_
  };

  Regrouping& upToDate(Lane& lane);
  bool accept(Trial& trial);
  void beginAnew();

  const RegroupingScope& scope_;
  TraceRecorder& recorder_;
  std::vector<StepChain> base_;
  std::vector<Trial> accepted_;  // since base_
  std::vector<Lane> lanes_;      // the first is always up to date
  std::vector<StepChain> best_;
  double latency_ = 0;  // of what the lanes are at
  double least_ = 0;
};

}  // namespace tilebeam
