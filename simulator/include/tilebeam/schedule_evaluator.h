// Judges whole schedules (docs/cost-model.md, sections 2, 3 and 6): validity with a precise
// message, what each step stores, totals, peaks, and a per-step account.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tilebeam/problem.h"
#include "tilebeam/schedule.h"
#include "tilebeam/step_simulator.h"
#include "tilebeam/subgraph.h"

namespace tilebeam {

enum class SimulatorChoice : std::uint8_t {
  kFastest,  // collapsed where the traversal is a named one (or equals one), else literal
  kLiteral
};

// Calls its second argument for each number below the first, side by side if it likes.
using ForEach = std::function<void(std::size_t, const std::function<void(std::size_t)>&)>;

struct EvaluatorOptions {
  DepthReading depth = DepthReading::kNative;
  SimulatorChoice simulator = SimulatorChoice::kFastest;
  ForEach forEachStep = {};  // how steps are judged that can be judged apart; empty: one by one
};

struct StepReport {
  StepAccount account;
  std::vector<TensorId> stored;  // sorted
  std::int64_t tiles = 0;
  std::int64_t kSteps = 1;  // k-steps of each tile

  bool computeBound() const { return account.computeTime >= account.memoryTime; }
};

// A violation found in a schedule, and where.
struct ScheduleViolation {
  std::optional<std::size_t> step;  // index of the offending step, if it is one step's fault
  Violation violation;

  // "step 3: cost model 3.9: ..."
  std::string message() const;
};

struct Evaluation {
  std::optional<ScheduleViolation> violation;  // empty: the schedule is valid
  double totalLatency = 0;                     // sum over `steps`
  std::vector<StepReport> steps;               // all steps, or those before the offending one

  bool valid() const { return !violation.has_value(); }
};

class ScheduleEvaluator {
 public:
  explicit ScheduleEvaluator(const Problem& problem, EvaluatorOptions options = {});

  // Never throws on an invalid schedule: the result says what is wrong with it.
  Evaluation evaluate(const Schedule& schedule) const;

 private:
  const Problem& problem_;
  EvaluatorOptions options_;
};

// The tensors that each step stores (section 6), sorted, for a schedule whose subgraphs have no
// violation.
std::vector<std::vector<TensorId>> storedTensors(
    const Problem& problem, const std::vector<Subgraph>& subgraphs,
    const std::vector<std::vector<TensorId>>& retained);

// Rules 3.4 and 3.5 for a subgraph without violation.
std::optional<Violation> checkGranularity(const Subgraph& subgraph, const Granularity& granularity);

}  // namespace tilebeam
