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

ScheduleTotals totalsOf(const Evaluation& evaluation) {
  ScheduleTotals totals;
  totals.steps = evaluation.steps.size();
  totals.latency = evaluation.totalLatency;
  for (const StepReport& report : evaluation.steps) {
    if (report.computeBound()) ++totals.computeBound;
    totals.loads += report.account.loads;
    totals.stores += report.account.stores;
    totals.peak = std::max(totals.peak, report.account.cost.peakFastMemory);
  }
  return totals;
}

// Drops all but the range.
template <class T>
void keep(std::vector<T>& all, const ShownSteps& range) {
  all.erase(all.begin() + static_cast<std::ptrdiff_t>(range.last) + 1, all.end());
  all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(range.first));
}

}  // namespace

double SchedulePicture::gap() const { return relativeGap(totals.latency, bound); }

ShownSteps drawableSteps(const Schedule& schedule) {
  constexpr std::size_t kMostSteps = 20'000;
  std::size_t ops = 0;
  std::size_t steps = 0;
  for (const Step& step : schedule.steps) {
    ops += step.ops.size();
    if (steps == kMostSteps || (ops > kMostDrawnOps && steps > 0)) break;
    ++steps;
  }
  return {0, steps - 1};
}

const char* boundBy(const StepReport& report) {
  return report.computeBound() ? "compute" : "memory";
}

SchedulePicture pictureOf(std::string title, const Problem& problem, Schedule schedule,
                          Evaluation evaluation, DepthReading depth, const ShownSteps& range) {
  SchedulePicture picture{std::move(title),
                          problem,
                          depth,
                          lowerBound(problem, depth).value,
                          totalsOf(evaluation),
                          range.first,
                          0,
                          0,
                          {},
                          {},
                          {}};
  for (std::size_t s = 0; s < range.first; ++s) {
    picture.begin += evaluation.steps[s].account.cost.latency;
  }
  for (std::size_t s = range.first; s <= range.last; ++s) {
    const Step& step = schedule.steps[s];
    StepPicture shown;
    shown.start = picture.latency;
    picture.latency += evaluation.steps[s].account.cost.latency;
    if (s > 0) shown.resident = schedule.steps[s - 1].retained;
    std::sort(shown.resident.begin(), shown.resident.end());
    shown.residentElements = areaOf(problem, shown.resident);
    shown.retainedElements = areaOf(problem, step.retained);
    shown.loads = loadsByTensor(problem, step, evaluation.steps[s], shown.resident, depth);
    picture.steps.push_back(std::move(shown));
  }
  keep(schedule.steps, range);
  keep(evaluation.steps, range);
  picture.schedule = std::move(schedule);
  picture.evaluation = std::move(evaluation);
  if (picture.partial()) {
    picture.title += ", steps " + std::to_string(range.first) + " to " +
                     std::to_string(range.last) + " of " + std::to_string(picture.totals.steps);
  } else {
    picture.latency = picture.totals.latency;  // not another sum of the same numbers
  }
  return picture;
}

std::string pictureSummary(const SchedulePicture& picture) {
  const ScheduleTotals& totals = picture.totals;
  return "latency " + formatNumber(totals.latency) + ", bound " + formatNumber(picture.bound) +
         ", gap " + formatFixed(100 * picture.gap(), 2) + " %, " + std::to_string(totals.steps) +
         " steps, peak " + std::to_string(totals.peak) + " of " +
         std::to_string(picture.problem.hardware().fastMemoryCapacity);
}

}  // namespace tilebeam::cli
