// What all pictures of a schedule show, worked out once. Costs are the evaluator's; what a step
// loads is told apart by tensor with the same simulator.
#pragma once

#include <string>
#include <vector>

#include "tilebeam/problem.h"
#include "tilebeam/schedule.h"
#include "tilebeam/schedule_evaluator.h"

namespace tilebeam::cli {

struct TensorLoad {
  TensorId tensor;
  double elements = 0;
};

// What a step's report does not say.
struct StepPicture {
  double start = 0;                // time units; steps follow each other without gaps
  std::vector<TensorId> resident;  // what the step before retained; sorted
  std::int64_t residentElements = 0;
  std::int64_t retainedElements = 0;  // by this step
  std::vector<TensorLoad> loads;      // sorted by tensor; they sum to the step's loads
};

// Refers to the problem and the schedule it was made of.
struct SchedulePicture {
  std::string title;  // plainText()
  const Problem& problem;
  const Schedule& schedule;
  DepthReading depth = DepthReading::kNative;
  Evaluation evaluation;
  double bound = 0;
  std::vector<StepPicture> steps;

  double gap() const;                // (total - bound) / total
  std::int64_t peak() const;         // elements, of all steps
  std::size_t computeBound() const;  // number of steps
};

// "compute" or "memory"
const char* boundBy(const StepReport& report);

// `evaluation` is that of the schedule, which is valid.
SchedulePicture pictureOf(std::string title, const Problem& problem, const Schedule& schedule,
                          Evaluation evaluation, DepthReading depth);

// "gap 1.50 %, ..." and so on: the facts of the whole, in one line.
std::string pictureSummary(const SchedulePicture& picture);

}  // namespace tilebeam::cli
