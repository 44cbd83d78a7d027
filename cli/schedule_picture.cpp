#include "cli/schedule_picture.h"

#include <algorithm>
#include <utility>

#include "cli/text_table.h"
#include "cli/traversal_names.h"
#include "tilebeam/lower_bound.h"
#include "tilebeam/step_simulator.h"
#include "tilebeam/subgraph.h"

namespace tilebeam::cli {
namespace {

std::int64_t areaOf(const Problem& problem, const std::vector<TensorId>& tensors) {
  std::int64_t area = 0;
  for (const TensorId t : tensors) area += problem.tensor(t).area();
  return area;
}

// Reuse is between slices of one tensor, so what is loaded of it does not depend on the others:
// with all others in fast memory, it is all that the step loads.
double loadsOf(TensorId tensor, const Subgraph& subgraph, const Step& step, StepContext context,
               DepthReading depth) {
  const auto external = subgraph.external();
  context.resident.assign(external.begin(), external.end());
  std::erase(context.resident, tensor);
  const CollapsedSimulator simulator(subgraph, context, depth);
  return simulator.account(step.granularity, step.traversal).loads;
}

// A named order is walked faster than a listed one.
Step withNamedTraversal(const Subgraph& subgraph, Step step) {
  const TraversalKind kind = traversalOf(subgraph, step);
  if (kind != TraversalKind::kExplicit) step.traversal = {kind, {}};
  return step;
}

std::vector<TensorLoad> loadsByTensor(const Problem& problem, const Step& original,
                                      const StepReport& report,
                                      const std::vector<TensorId>& resident, DepthReading depth) {
  const Subgraph subgraph(problem, original.ops);
  std::vector<TensorLoad> loads;
  for (const TensorId t : subgraph.external()) {
    if (!std::binary_search(resident.begin(), resident.end(), t)) loads.push_back({t, 0});
  }
  if (loads.size() == 1) {
    loads.front().elements = report.account.loads;
    return loads;
  }
  const Step step = withNamedTraversal(subgraph, original);
  const StepContext context{{}, report.stored, step.retained};
  for (TensorLoad& load : loads) {
    load.elements = loadsOf(load.tensor, subgraph, step, context, depth);
  }
  return loads;
}

}  // namespace

double SchedulePicture::gap() const { return relativeGap(evaluation.totalLatency, bound); }

std::int64_t SchedulePicture::peak() const {
  std::int64_t most = 0;
  for (const StepReport& report : evaluation.steps) {
    most = std::max(most, report.account.cost.peakFastMemory);
  }
  return most;
}

std::size_t SchedulePicture::computeBound() const {
  return static_cast<std::size_t>(
      std::count_if(evaluation.steps.begin(), evaluation.steps.end(),
                    [](const StepReport& report) { return report.computeBound(); }));
}

const char* boundBy(const StepReport& report) {
  return report.computeBound() ? "compute" : "memory";
}

SchedulePicture pictureOf(std::string title, const Problem& problem, const Schedule& schedule,
                          Evaluation evaluation, DepthReading depth) {
  std::vector<StepPicture> steps(schedule.steps.size());
  double start = 0;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const Step& step = schedule.steps[s];
    StepPicture& picture = steps[s];
    picture.start = start;
    start += evaluation.steps[s].account.cost.latency;
    if (s > 0) picture.resident = schedule.steps[s - 1].retained;
    std::sort(picture.resident.begin(), picture.resident.end());
    picture.residentElements = areaOf(problem, picture.resident);
    picture.retainedElements = areaOf(problem, step.retained);
    picture.loads = loadsByTensor(problem, step, evaluation.steps[s], picture.resident, depth);
  }
  return {std::move(title),
          problem,
          schedule,
          depth,
          std::move(evaluation),
          lowerBound(problem, depth).value,
          std::move(steps)};
}

std::string pictureSummary(const SchedulePicture& picture) {
  return "latency " + formatNumber(picture.evaluation.totalLatency) + ", bound " +
         formatNumber(picture.bound) + ", gap " + formatFixed(100 * picture.gap(), 2) + " %, " +
         std::to_string(picture.steps.size()) + " steps, peak " + std::to_string(picture.peak()) +
         " of " + std::to_string(picture.problem.hardware().fastMemoryCapacity);
}

}  // namespace tilebeam::cli
