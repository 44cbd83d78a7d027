// One round of a search: a beam over the graph or its segments, or windows of the best plans.
// Rounds only read the plans found so far, so several can run side by side.
#pragma once

#include <functional>
#include <vector>

#include "engine/beam_search.h"
#include "engine/best_plans.h"
#include "engine/candidate_generator.h"
#include "engine/search_effort.h"
#include "engine/search_position.h"
#include "engine/search_scope.h"
#include "engine/step_scorer.h"
#include "engine/step_unions.h"
#include "engine/trace_recorder.h"

namespace tilebeam {

// What all rounds of a search have in common; outlives them.
struct RoundSetting {
  StepScorer& scorer;
  const SearchScope& scope;
  const std::vector<double>& opFloors;  // by position
  const OpPrices& singles;              // what each op costs alone
  const SolverOptions& options;
  const BestPlans& plans;  // constant while a round runs
};

struct FoundPlan {
  Plan plan;     // as found
  Plan spliced;  // with the base of when the round began, if that is better than the base
  const char* source;
};

class SearchRound {
 public:
  // `prices` are those of the round before. `position` is kept up to date, if given.
  SearchRound(const RoundSetting& setting, std::int64_t number, OpPrices prices,
              SearchPosition* position);

  // Call within the arena that is to do the work.
  void run(const std::function<bool()>& stop, TraceRecorder& recorder);

  std::int64_t number() const { return number_; }
  std::vector<FoundPlan>& found() { return found_; }
  OpPrices& prices() { return prices_; }

 private:
  void searchGraph(const std::function<bool()>& stop, TraceRecorder& recorder);
  void mergeSteps(const Plan& plan, const std::function<bool()>& stop, TraceRecorder& recorder);
  void improveWindows(const Plan& plan, const std::function<bool()>& stop, TraceRecorder& recorder);
  OpPrices pricesOf(const Plan& plan) const;
  void keep(Plan plan, const char* source);

  const RoundSetting& setting_;
  std::int64_t number_;
  OpPrices prices_;
  RoundEffort effort_;
  StepUnions unions_;
  BeamOptions beam_;
  std::vector<FoundPlan> found_;
};

}  // namespace tilebeam
