// Local search on a plan's steps: two become one, with what lies between them, or an op goes over
// from one to its neighbour. It reaches steps of many ops at once, which candidates that grow op by
// op reach late; beams and windows then find what to retain around them. Trials take neighbouring
// steps apart and put them together in another way.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "engine/plan.h"
#include "engine/plan_windows.h"
#include "engine/search_effort.h"
#include "engine/step_scorer.h"
#include "engine/trace_recorder.h"
#include "tilebeam/features.h"

namespace tilebeam {

class StepMerging {
 public:
  // No step will make use of a feature in `without`.
  StepMerging(StepScorer& scorer, FeatureSet without) : scorer_(scorer), without_(without) {}

  // The plan with every window bettered that could be; empty if none could. What chance decides is
  // drawn by `seed`. Windows are independent; see cutWindows(). Call within the arena that is to do
  // the work.
  std::optional<Plan> improve(const Plan& plan, const std::vector<PlanWindow>& windows,
                              const MergingEffort& effort, std::uint64_t seed,
                              const std::function<bool()>& stop,
                              TraceRecorder& recorder = TraceRecorder::none()) const;

 private:
  StepScorer& scorer_;
  FeatureSet without_;
};

}  // namespace tilebeam
