#include "cli/evaluation_report.h"

#include <algorithm>
#include <cmath>

#include "cli/exit_code.h"
#include "cli/json_values.h"
#include "cli/schedule_picture.h"
#include "cli/streams.h"
#include "cli/text_table.h"

namespace tilebeam::cli {
namespace {

std::string formatGranularity(const Granularity& g) {
  return std::to_string(g.width) + "," + std::to_string(g.height) + "," + std::to_string(g.depth);
}

std::vector<std::string> tableRow(std::size_t index, const Step& step, const StepReport& report) {
  return {std::to_string(index),
          formatIds(step.ops),
          formatGranularity(step.granularity),
          std::to_string(report.tiles),
          std::to_string(report.kSteps),
          formatNumber(report.account.cost.latency),
          formatNumber(report.account.computeTime),
          formatNumber(report.account.memoryTime),
          boundBy(report),
          std::to_string(report.account.cost.peakFastMemory),
          formatIds(step.retained),
          formatIds(report.stored)};
}

Json stepJson(const Step& step, const StepReport& report) {
  const StepAccount& account = report.account;
  const Granularity& g = step.granularity;
  return {{"latency", jsonNumber(account.cost.latency)},
          {"peak_fast_memory", account.cost.peakFastMemory},
          {"compute_time", jsonNumber(account.computeTime)},
          {"memory_time", jsonNumber(account.memoryTime)},
          {"loads", jsonNumber(account.loads)},
          {"stores", jsonNumber(account.stores)},
          {"ops", jsonIds(step.ops)},
          {"granularity", Json::array({g.width, g.height, g.depth})},
          {"retained", jsonIds(step.retained)},
          {"stored", jsonIds(report.stored)},
          {"tiles", report.tiles},
          {"k_steps", report.kSteps},
          {"bound_by", boundBy(report)},
          {"reported_latency",
           step.reportedLatency ? jsonNumber(*step.reportedLatency) : Json(nullptr)}};
}

}  // namespace

std::vector<std::string> latencyWarnings(const Schedule& schedule, const Evaluation& evaluation) {
  constexpr double kTolerance = 1e-6;
  std::vector<std::string> warnings;
  for (std::size_t s = 0; s < evaluation.steps.size(); ++s) {
    const auto& reported = schedule.steps[s].reportedLatency;
    const double latency = evaluation.steps[s].account.cost.latency;
    if (!reported || std::abs(*reported - latency) <= kTolerance * latency) continue;
    warnings.push_back("step " + std::to_string(s) + ": reports latency " +
                       formatNumber(*reported) + ", but takes " + formatNumber(latency));
  }
  return warnings;
}

Evaluation requireValid(const Problem& problem, const Schedule& schedule, const std::string& path,
                        DepthReading depth) {
  Evaluation evaluation = ScheduleEvaluator(problem, {.depth = depth}).evaluate(schedule);
  if (evaluation.valid()) return evaluation;
  throw Failure(ExitCode::kInvalidSchedule, path + ": " + evaluation.violation->message());
}

void printWarnings(const std::string& path, const std::vector<std::string>& warnings) {
  constexpr std::size_t kShown = 10;
  const std::string start = "tilebeam: warning: " + path + ": ";
  for (std::size_t i = 0; i < std::min(warnings.size(), kShown); ++i) {
    printLine(start + warnings[i]);
  }
  if (warnings.size() > kShown) {
    printLine(start + std::to_string(warnings.size() - kShown) + " more warnings of this kind");
  }
}

std::string evaluationTable(const Problem& problem, const Schedule& schedule,
                            const Evaluation& evaluation) {
  TextTable table({"step", "ops", "w,h,k", "tiles", "k-steps", "latency", "compute", "memory",
                   "bound by", "peak", "retained", "stored"});
  std::int64_t peak = 0;
  for (std::size_t s = 0; s < evaluation.steps.size(); ++s) {
    table.addRow(tableRow(s, schedule.steps[s], evaluation.steps[s]));
    peak = std::max(peak, evaluation.steps[s].account.cost.peakFastMemory);
  }
  return table.text() + "\ntotal latency " + formatNumber(evaluation.totalLatency) + ", " +
         std::to_string(schedule.steps.size()) + " steps, peak " + std::to_string(peak) + " of " +
         std::to_string(problem.hardware().fastMemoryCapacity) + "\n";
}

std::string evaluationJson(const Schedule& schedule, const Evaluation& evaluation,
                           const std::vector<std::string>& warnings) {
  Json steps = Json::array();
  for (std::size_t s = 0; s < evaluation.steps.size(); ++s) {
    steps.push_back(stepJson(schedule.steps[s], evaluation.steps[s]));
  }
  const bool valid = evaluation.valid();
  return dumpObject({{"valid", valid},
                     {"error", valid ? Json(nullptr) : Json(evaluation.violation->message())},
                     {"total_latency", valid ? jsonNumber(evaluation.totalLatency) : Json(nullptr)},
                     {"warnings", warnings},
                     {"steps", std::move(steps)}});
}

}  // namespace tilebeam::cli
