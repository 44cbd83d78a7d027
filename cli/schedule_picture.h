// What all pictures of a schedule show, worked out once. Costs are the evaluator's; what a step
// loads is told apart by tensor with the same simulator.
#pragma once

#include <string>
#include <vector>

#include "tilebeam/problem.h"
#include "tilebeam/schedule.h"
#include "tilebeam/schedule_evaluator.h"

namespace tilebeam::cli {

// More of them are too much for a picture, or for what draws it.
inline constexpr std::size_t kMostDrawnOps = 100'000;

struct TensorLoad {
  TensorId tensor;
  double elements = 0;
};

// What a step's report does not say.
struct StepPicture {
  double start = 0;                // time units from the first step that is shown; without gaps
  std::vector<TensorId> resident;  // what the step before retained; sorted
  std::int64_t residentElements = 0;
  std::int64_t retainedElements = 0;  // by this step
  std::vector<TensorLoad> loads;      // sorted by tensor; they sum to the step's loads
};

// Steps `first` to `last` of a schedule, both included.
struct ShownSteps {
  std::size_t first = 0;
  std::size_t last = 0;
};

// As many of the first steps as a viewer still handles.
ShownSteps drawableSteps(const Schedule& schedule);

// Of all steps, whichever are shown.
struct ScheduleTotals {
  std::size_t steps = 0;
  std::size_t computeBound = 0;
  double latency = 0;
  double loads = 0;
  double stores = 0;
  std::int64_t peak = 0;  // elements
};

// Refers to the problem it was made of. What is indexed by steps holds those that are shown.
struct SchedulePicture {
  std::string title;  // printable; names the steps, if they are not all
  const Problem& problem;
  DepthReading depth = DepthReading::kNative;
  double bound = 0;
  ScheduleTotals totals;
  std::size_t first = 0;  // the number of steps[0] in the whole schedule
  double begin = 0;       // when it starts
  double latency = 0;     // of the steps shown
  Schedule schedule;
  Evaluation evaluation;
  std::vector<StepPicture> steps;

  double gap() const;  // (total - bound) / total
  bool partial() const { return steps.size() < totals.steps; }
};

// "compute" or "memory"
const char* boundBy(const StepReport& report);

// `evaluation` is that of the schedule, which is valid; `range` lies within it.
SchedulePicture pictureOf(std::string title, const Problem& problem, Schedule schedule,
                          Evaluation evaluation, DepthReading depth, const ShownSteps& range);

// "gap 1.50 %, ..." and so on: the facts of the whole, in one line.
std::string pictureSummary(const SchedulePicture& picture);

}  // namespace tilebeam::cli
