#include "cli/explain_report.h"

#include <cmath>

#include "cli/json_values.h"
#include "cli/schedule_picture.h"
#include "cli/text_table.h"
#include "cli/traversal_names.h"

namespace tilebeam::cli {
namespace {

std::string text(std::int64_t value) { return std::to_string(value); }

std::string counted(std::int64_t count, const char* word) {
  return text(count) + " " + word + (count == 1 ? "" : "s");
}

std::string size(std::int64_t rows, std::int64_t columns) {
  return text(rows) + " x " + text(columns);
}

std::string roleOf(const OpExplanation& op) {
  std::string role = op.root ? "root" : op.tile ? "per tile" : "makes strips";
  return op.sink ? role + ", sink" : role;
}

std::string sourceOf(const Problem& problem, const SliceExplanation& slice) {
  if (slice.resident) return "resident";
  if (!slice.made) return "slow memory";
  return "made by op " + text(problem.graph().producer(slice.tensor).value());
}

std::string opTable(const Problem& problem, const StepExplanation& step) {
  TextTable table({"op", "type", "role", "output", "rows x columns", "runs", "compute"});
  for (const OpExplanation& op : step.ops) {
    const Op& definition = problem.op(op.op);
    const Tensor& output = problem.tensor(definition.output);
    table.addRow({text(op.op.value()), name(definition.type), roleOf(op),
                  text(definition.output.value()), size(output.height, output.width),
                  step.walked ? text(op.runs) : "-", step.walked ? formatNumber(op.compute) : "-"});
  }
  return table.text();
}

std::string gridText(const Step& schedule, const StepExplanation& step) {
  const auto [w, h, k] = schedule.granularity;
  std::string line = "grid " + size(step.grid.height, step.grid.width) + " in " +
                     size(step.tileRows, step.tileColumns) + " tiles of " + size(h, w) + " (h " +
                     text(h) + ", w " + text(w) + "), " + step.traversal + "; " +
                     counted(step.report.kSteps, "k-step") + " each";
  if (step.report.kSteps > 1) line += " (k " + text(k) + ")";
  return line + ": " + counted(step.report.tiles * step.report.kSteps, "iteration") + "\n";
}

std::string sliceTable(const Problem& problem, const StepExplanation& step) {
  TextTable table({"tensor", "from", "as", "rows x columns", "uses", "loads", "reuses",
                   "elements loaded", "at peak"});
  for (const SliceExplanation& s : step.slices) {
    const bool moved = !s.made && !s.resident;
    table.addRow({text(s.tensor.value()), sourceOf(problem, s), s.shape, size(s.rows, s.columns),
                  s.resident ? "-" : text(s.uses), moved ? text(s.uses - s.reuses) : "-",
                  moved ? text(s.reuses) : "-", moved ? formatNumber(s.loads) : "-",
                  s.made ? "-" : text(s.inPeak)});
  }
  return table.text();
}

std::string peakText(const Problem& problem, const StepExplanation& step) {
  const std::int64_t peak = step.report.account.cost.peakFastMemory;
  const std::int64_t inputs = peak - step.peakRetained - step.peakOutput;
  std::string line =
      "working set " + text(peak) + " of " + text(problem.hardware().fastMemoryCapacity);
  if (!step.walked) return line + "\n";
  return line + ", first reached in tile " + text(step.peakTile) + ", k-step " +
         text(step.peakKStep) + ": tensors above " + text(inputs) + ", retained so far " +
         text(step.peakRetained) + ", output " + text(step.peakOutput) + "\n";
}

std::string timeText(const StepExplanation& step) {
  const StepAccount& account = step.report.account;
  const std::int64_t iterations = step.report.tiles * step.report.kSteps;
  std::string line = "compute " + formatNumber(account.computeTime) + ", memory " +
                     formatNumber(account.memoryTime) + " (loads " + formatNumber(account.loads) +
                     ", stores " + formatNumber(account.stores) + " elements); bound by " +
                     boundBy(step.report);
  if (step.walked) {
    line += ", compute in " + text(step.computeBound) + " and memory in " +
            text(iterations - step.computeBound) + " of " + counted(iterations, "iteration");
  }
  return line + "\n";
}

std::string largerText(const LargerTile& tile, double latency, std::int64_t capacity) {
  std::string line = std::string("  ") + tile.axis + " " + text(tile.from);
  if (tile.to == 0) return line + " " + *tile.barred + "\n";
  line += " -> " + text(tile.to) + ": ";
  if (tile.barred) return line + "not allowed, " + *tile.barred + "\n";
  if (!tile.fits) {
    return line + "does not fit, working set " + text(tile.cost.peakFastMemory) + " is " +
           text(tile.cost.peakFastMemory - capacity) + " over the capacity\n";
  }
  // Sums of the same numbers in different order differ in their last bits.
  const double difference = tile.cost.latency - latency;
  const double more = std::abs(difference) > 1e-12 * latency ? difference : 0;
  const std::string change = more > 0   ? formatNumber(more) + " more"
                             : more < 0 ? formatNumber(-more) + " less"
                                        : "the same";
  return line + "fits (" + text(tile.cost.peakFastMemory) + "), latency " +
         formatNumber(tile.cost.latency) + " at best (" + traversalName(tile.traversal) + "), " +
         change + "\n";
}

Json opJson(const OpExplanation& op, bool walked) {
  return {{"op", op.op.value()},
          {"role", op.root   ? "root"
                   : op.tile ? "tile"
                             : "strips"},
          {"sink", op.sink},
          {"runs", walked ? Json(op.runs) : Json(nullptr)},
          {"compute", walked ? jsonNumber(op.compute) : Json(nullptr)}};
}

Json sliceJson(const SliceExplanation& s) {
  return {{"tensor", s.tensor.value()},
          {"from", s.resident ? "resident" : s.made ? "made" : "slow memory"},
          {"shape", s.shape},
          {"rows", s.rows},
          {"columns", s.columns},
          {"uses", s.uses},
          {"reuses", s.reuses},
          {"loads", jsonNumber(s.loads)},
          {"at_peak", s.inPeak}};
}

Json largerJson(const LargerTile& tile) {
  const bool tried = !tile.barred;
  return {{"axis", std::string(1, tile.axis)},
          {"from", tile.from},
          {"to", tile.to > 0 ? Json(tile.to) : Json(nullptr)},
          {"barred", tile.barred ? Json(*tile.barred) : Json(nullptr)},
          {"fits", tried ? Json(tile.fits) : Json(nullptr)},
          {"peak_fast_memory", tried ? Json(tile.cost.peakFastMemory) : Json(nullptr)},
          {"latency", tried ? jsonNumber(tile.cost.latency) : Json(nullptr)},
          {"traversal", tried ? Json(traversalName(tile.traversal)) : Json(nullptr)}};
}

template <class List, class Convert>
Json listJson(const List& list, const Convert& convert) {
  Json json = Json::array();
  for (const auto& entry : list) json.push_back(convert(entry));
  return json;
}

}  // namespace

std::string explanationText(const Problem& problem, const Schedule& schedule,
                            const Evaluation& evaluation, const StepExplanation& step) {
  const Step& definition = schedule.steps[step.index];
  const double latency = step.report.account.cost.latency;
  const double share = evaluation.totalLatency > 0 ? 100 * latency / evaluation.totalLatency : 0;
  std::string text = "step " + std::to_string(step.index) + " of " +
                     std::to_string(schedule.steps.size()) + ": latency " + formatNumber(latency) +
                     ", " + formatFixed(share, 2) + " % of the total\n\n";
  text += opTable(problem, step) + "\n" + gridText(definition, step);
  text += "stores " + formatIds(step.report.stored) + ", retains " +
          formatIds(definition.retained) + "\n\n";
  text += step.walked ? sliceTable(problem, step) + "\n"
                      : "too many iterations to follow the slices one by one\n\n";
  text += peakText(problem, step) + timeText(step) + "\nthe next larger tile\n";
  for (const LargerTile& tile : step.larger) {
    text += largerText(tile, latency, problem.hardware().fastMemoryCapacity);
  }
  return text;
}

std::string explanationJson(const Problem& problem, const Schedule& schedule,
                            const StepExplanation& step) {
  const Step& definition = schedule.steps[step.index];
  const StepAccount& account = step.report.account;
  const auto ifWalked = [&](Json value) { return step.walked ? std::move(value) : Json(nullptr); };
  const Granularity& g = definition.granularity;
  return dumpObject(
      {{"step", step.index},
       {"latency", jsonNumber(account.cost.latency)},
       {"compute_time", jsonNumber(account.computeTime)},
       {"memory_time", jsonNumber(account.memoryTime)},
       {"bound_by", boundBy(step.report)},
       {"compute_bound_iterations", ifWalked(step.computeBound)},
       {"loads", jsonNumber(account.loads)},
       {"stores", jsonNumber(account.stores)},
       {"peak_fast_memory", account.cost.peakFastMemory},
       {"capacity", problem.hardware().fastMemoryCapacity},
       {"peak_tile", ifWalked(step.peakTile)},
       {"peak_k_step", ifWalked(step.peakKStep)},
       {"peak_retained", ifWalked(step.peakRetained)},
       {"peak_output", ifWalked(step.peakOutput)},
       {"grid", {step.grid.height, step.grid.width}},
       {"granularity", {g.width, g.height, g.depth}},
       {"tile_rows", step.tileRows},
       {"tile_columns", step.tileColumns},
       {"k_steps", step.report.kSteps},
       {"traversal", step.traversal},
       {"stored", jsonIds(step.report.stored)},
       {"retained", jsonIds(definition.retained)},
       {"ops", listJson(step.ops, [&](const auto& op) { return opJson(op, step.walked); })},
       {"slices", ifWalked(listJson(step.slices, sliceJson))},
       {"larger_tiles", listJson(step.larger, largerJson)}});
}

}  // namespace tilebeam::cli
