#include "cli/step_explanation.h"

#include <algorithm>
#include <map>
#include <utility>

#include "cli/larger_tiles.h"
#include "cli/traversal_names.h"
#include "simulator/ceil_div.h"
#include "tilebeam/step_walk.h"

namespace tilebeam::cli {
namespace {

// Walking more takes more than seconds.
constexpr std::int64_t kMostIterations = 2'000'000;

std::string shapeOf(const Tensor& tensor, std::int64_t rows, std::int64_t columns) {
  if (rows == tensor.height && columns == tensor.width) return "whole";
  if (columns == tensor.width) return "full rows";
  return rows == tensor.height ? "full columns" : "block";
}

std::vector<OpExplanation> opsOf(const Subgraph& subgraph) {
  const auto in = [](std::span<const OpId> list, OpId o) {
    return std::find(list.begin(), list.end(), o) != list.end();
  };
  std::vector<OpExplanation> ops;
  for (const OpId o : subgraph.ops()) {
    ops.push_back(
        {o, in(subgraph.sinks(), o), in(subgraph.roots(), o), in(subgraph.tileOps(), o), 0, 0});
  }
  return ops;
}

// Sums up iterations.
class WalkSummary {
 public:
  WalkSummary(const Problem& problem, StepExplanation& result)
      : problem_(problem), result_(result) {
    for (OpExplanation& op : result.ops) ops_[op.op] = &op;
  }

  void add(const Iteration& iteration) {
    if (iteration.compute >= iteration.memoryTime) ++result_.computeBound;
    for (const OpRun& run : iteration.runs) {
      OpExplanation& op = *ops_.at(run.op);
      ++op.runs;
      op.compute += run.cost;
    }
    for (const SliceUse& slice : iteration.slices) {
      SliceExplanation& tensor = use(slice.tensor, false, slice.rows, slice.columns);
      tensor.reuses += slice.held ? 1 : 0;
      tensor.loads += slice.held ? 0 : static_cast<double>(slice.area());
    }
    for (const StripUse& strip : iteration.strips) {
      use(strip.tensor, true, strip.rows, strip.columns);
    }
    if (iteration.workingSet > peak_) takePeak(iteration);
  }

  void finish() {
    for (auto& [key, tensor] : tensors_) {
      tensor.shape = shapeOf(problem_.tensor(tensor.tensor), tensor.rows, tensor.columns);
      result_.slices.push_back(tensor);
    }
  }

 private:
  SliceExplanation& use(TensorId t, bool made, std::int64_t rows, std::int64_t columns) {
    SliceExplanation& tensor = tensors_[{made, t}];
    tensor.tensor = t;
    tensor.made = made;
    ++tensor.uses;
    if (rows * columns > tensor.rows * tensor.columns) {
      tensor.rows = rows;
      tensor.columns = columns;
    }
    return tensor;
  }

  void takePeak(const Iteration& iteration) {
    peak_ = iteration.workingSet;
    result_.peakTile = iteration.tile;
    result_.peakKStep = iteration.kStep;
    result_.peakRetained = iteration.retainedArea;
    result_.peakOutput = iteration.outputArea;
    for (auto& [key, tensor] : tensors_) tensor.inPeak = 0;
    for (const SliceUse& slice : iteration.slices) {
      tensors_[{false, slice.tensor}].inPeak += slice.area();
    }
  }

  const Problem& problem_;
  StepExplanation& result_;
  std::map<OpId, OpExplanation*> ops_;
  std::map<std::pair<bool, TensorId>, SliceExplanation> tensors_;  // external ones first
  std::int64_t peak_ = -1;
};

// The tensors that the step before retained. They take their whole area throughout.
void addResidents(const Problem& problem, const StepContext& context, StepExplanation& result) {
  for (const TensorId t : context.resident) {
    SliceExplanation resident;
    resident.tensor = t;
    resident.resident = true;
    resident.shape = "whole";
    resident.rows = problem.tensor(t).height;
    resident.columns = problem.tensor(t).width;
    resident.inPeak = problem.tensor(t).area();
    result.slices.push_back(resident);
  }
}

}  // namespace

StepExplanation explainStep(const Problem& problem, const Schedule& schedule,
                            const Evaluation& evaluation, std::size_t index, DepthReading depth) {
  const Step& step = schedule.steps[index];
  const Subgraph subgraph(problem, step.ops);
  StepContext context{{}, evaluation.steps[index].stored, step.retained};
  if (index > 0) context.resident = schedule.steps[index - 1].retained;
  std::sort(context.resident.begin(), context.resident.end());

  StepExplanation result;
  result.index = index;
  result.report = evaluation.steps[index];
  result.ops = opsOf(subgraph);
  result.grid = {subgraph.gridWidth(), subgraph.gridHeight()};
  result.tileColumns = ceilDiv(result.grid.width, step.granularity.width);
  result.tileRows = ceilDiv(result.grid.height, step.granularity.height);
  result.traversal = traversalName(traversalOf(subgraph, step));
  if (result.report.tiles <= kMostIterations / result.report.kSteps) {
    WalkSummary summary(problem, result);
    walkLiteral(subgraph, step.granularity, step.traversal, context, depth,
                [&](const Iteration& iteration) { summary.add(iteration); });
    summary.finish();
    addResidents(problem, context, result);
    result.walked = true;
  }
  result.larger = tryLargerTiles(subgraph, step.granularity, context, depth);
  return result;
}

}  // namespace tilebeam::cli
