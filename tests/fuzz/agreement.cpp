#include "fuzz/agreement.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "tilebeam/lower_bound.h"

namespace tilebeam::fuzz {
namespace {

constexpr double kTolerance = 1e-9;

double quotient(std::int64_t a, std::int64_t b) {
  return static_cast<double>((a - 1) / b + 1);  // rounded up
}

bool exist(const Problem& problem, const std::vector<OpId>& ops) {
  return std::all_of(ops.begin(), ops.end(),
                     [&](OpId o) { return o.valid() && o.index() < problem.opCount(); });
}

// Inputs of all the ops.
std::size_t uses(const Problem& problem, const std::vector<OpId>& ops) {
  std::size_t count = 0;
  for (const OpId o : ops) count += problem.op(o).inputs.size();
  return count;
}

void require(bool holds, const std::string& what) {
  if (!holds) throw Fault(what);
}

void requireClose(double a, double b, const std::string& what) {
  require(std::isfinite(a) && std::isfinite(b), what + " is not finite");
  require(std::abs(a - b) <= kTolerance * std::max({1.0, std::abs(a), std::abs(b)}),
          what + " differs: " + std::to_string(a) + " and " + std::to_string(b));
}

void requireSame(const StepReport& a, const StepReport& b, const std::string& step) {
  requireClose(a.account.cost.latency, b.account.cost.latency, step + "latency");
  requireClose(a.account.computeTime, b.account.computeTime, step + "compute time");
  requireClose(a.account.memoryTime, b.account.memoryTime, step + "memory time");
  requireClose(a.account.loads, b.account.loads, step + "loads");
  requireClose(a.account.stores, b.account.stores, step + "stores");
  require(a.account.cost.peakFastMemory == b.account.cost.peakFastMemory, step + "peak differs");
  require(a.stored == b.stored, step + "stored tensors differ");
}

void requireSame(const Evaluation& a, const Evaluation& b) {
  require(a.valid() == b.valid(), "one simulator calls it valid, the other does not");
  if (!a.valid()) {
    require(a.violation->message() == b.violation->message(),
            a.violation->message() + " / " + b.violation->message());
  }
  require(a.steps.size() == b.steps.size(), "not equally many steps judged");
  for (std::size_t i = 0; i < a.steps.size(); ++i) {
    requireSame(a.steps[i], b.steps[i], "step " + std::to_string(i) + ": ");
  }
}

void requireBound(const Problem& problem, const Evaluation& evaluation, DepthReading depth) {
  const double bound = lowerBound(problem, depth).value;
  require(std::isfinite(bound), "the lower bound is not finite");
  if (!evaluation.valid()) return;
  const double slack = kTolerance * std::max(1.0, std::abs(bound));
  require(bound <= evaluation.totalLatency + slack, "the lower bound " + std::to_string(bound) +
                                                        " is above a valid total of " +
                                                        std::to_string(evaluation.totalLatency));
}

}  // namespace

double literalWork(const Problem& problem, const Schedule& schedule) {
  double work = 0;
  for (const Step& step : schedule.steps) {
    if (!exist(problem, step.ops)) break;
    const Subgraph subgraph(problem, step.ops);
    if (subgraph.violation() || checkGranularity(subgraph, step.granularity)) break;
    const double tiles = quotient(subgraph.gridWidth(), step.granularity.width) *
                         quotient(subgraph.gridHeight(), step.granularity.height);
    const double kSteps = subgraph.maxRootReduction() > 0
                              ? quotient(subgraph.maxRootReduction(), step.granularity.depth)
                              : 1;
    work += tiles * kSteps * static_cast<double>(uses(problem, step.ops));
  }
  return work;
}

Agreement compareSimulators(const Problem& problem, const Schedule& schedule, DepthReading depth,
                            double maxWork) {
  Agreement agreement;
  agreement.evaluation =
      ScheduleEvaluator(problem, {depth, SimulatorChoice::kFastest}).evaluate(schedule);
  requireBound(problem, agreement.evaluation, depth);
  if (literalWork(problem, schedule) > maxWork) return agreement;
  requireSame(agreement.evaluation,
              ScheduleEvaluator(problem, {depth, SimulatorChoice::kLiteral}).evaluate(schedule));
  agreement.compared = true;
  return agreement;
}

Schedule singleOpSchedule(const Problem& problem, std::uint64_t coarseness) {
  const Hardware& hardware = problem.hardware();
  Schedule schedule;
  for (const OpId o : problem.graph().topologicalOrder()) {
    const auto halved = [&](std::int64_t side, unsigned bit) {
      const auto shift = (coarseness >> (2 * bit)) & 3U;
      return std::max<std::int64_t>(1, side >> shift);
    };
    const std::int64_t reduction = problem.op(o).isMatMul() ? problem.reduction(o) : 1;
    Step step;
    step.ops = {o};
    step.granularity = {halved(hardware.nativeWidth, 0), halved(hardware.nativeHeight, 1),
                        halved(std::min(hardware.nativeDepth(), reduction), 2)};
    schedule.steps.push_back(std::move(step));
  }
  return schedule;
}

}  // namespace tilebeam::fuzz
