#include "cli/compare_report.h"

#include <algorithm>
#include <cmath>

#include "cli/joined.h"
#include "cli/json_values.h"
#include "cli/schedule_picture.h"
#include "cli/segment_differences.h"
#include "cli/text_table.h"
#include "cli/traversal_names.h"

namespace tilebeam::cli {
namespace {

// Segments and steps of a segment that a page shows; JSON has all segments.
constexpr std::size_t kMostSegments = 30;
constexpr std::size_t kMostSteps = 12;

std::string signedNumber(double value) { return (value > 0 ? "+" : "") + formatNumber(value); }

std::string rangeText(const StepRange& range) {
  if (range.size() == 0) return "none";
  const std::string first = std::to_string(range.first);
  return range.size() == 1 ? first : first + "-" + std::to_string(range.last - 1);
}

// A row of the overview: one segment that differs, or all of a run that are the same.
struct OverviewRow {
  Segment sum;
  std::size_t index = 0;
};

std::vector<OverviewRow> mergeSame(const std::vector<Segment>& segments) {
  std::vector<OverviewRow> rows;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const Segment& s = segments[i];
    if (!rows.empty() && rows.back().sum.same() && s.same()) {
      Segment& sum = rows.back().sum;
      sum.ops += s.ops;
      sum.a.latency += s.a.latency;
      sum.b.latency += s.b.latency;
      sum.a.steps.last = s.a.steps.last;
      sum.b.steps.last = s.b.steps.last;
    } else {
      rows.push_back({s, i});
    }
  }
  return rows;
}

// The most that may be left out is what changes least.
double leastShown(const std::vector<Segment>& segments) {
  std::vector<double> deltas;
  for (const Segment& s : segments) {
    if (!s.same()) deltas.push_back(std::abs(s.delta()));
  }
  if (deltas.size() <= kMostSegments) return 0;
  std::sort(deltas.begin(), deltas.end(), std::greater<>());
  return deltas[kMostSegments - 1];
}

void addStep(TextTable& table, const char* side, const Problem& problem,
             const JudgedSchedule& judged, std::size_t i) {
  const Step& step = judged.schedule.steps[i];
  const StepReport& report = judged.evaluation.steps[i];
  const auto [w, h, k] = step.granularity;
  table.addRow({side, std::to_string(i), formatIds(step.ops),
                std::to_string(w) + "," + std::to_string(h) + "," + std::to_string(k),
                traversalName(traversalOf(Subgraph(problem, step.ops), step)),
                formatNumber(report.account.cost.latency), boundBy(report),
                formatIds(step.retained), formatIds(report.stored)});
}

std::string segmentText(const Problem& problem, const JudgedSchedule& a, const JudgedSchedule& b,
                        const Segment& segment, std::size_t index) {
  std::string text = "\nsegment " + std::to_string(index) + ": B - A " +
                     signedNumber(segment.delta()) + ", by " + joined(segment.differences) + "\n";
  if (segment.a.remade != segment.b.remade) {
    text += "ops run again: A " + formatIds(segment.a.remade) + ", B " +
            formatIds(segment.b.remade) + "\n";
  }
  TextTable table(
      {"", "step", "ops", "w,h,k", "order", "latency", "bound by", "retained", "stored"});
  std::size_t hidden = 0;
  const auto addSide = [&](const char* name, const JudgedSchedule& judged, const StepRange& steps) {
    const std::size_t end = std::min(steps.last, steps.first + kMostSteps);
    for (std::size_t i = steps.first; i < end; ++i) addStep(table, name, problem, judged, i);
    hidden += steps.last - end;
  };
  addSide("A", a, segment.a.steps);
  addSide("B", b, segment.b.steps);
  text += table.text();
  if (hidden > 0) text += "and " + std::to_string(hidden) + " steps more\n";
  return text;
}

Json rangeJson(const StepRange& range) { return Json::array({range.first, range.last}); }

}  // namespace

std::string comparisonText(const Problem& problem, const JudgedSchedule& a, const JudgedSchedule& b,
                           const std::vector<Segment>& segments) {
  const double totalA = a.evaluation.totalLatency;
  const double totalB = b.evaluation.totalLatency;
  const double least = leastShown(segments);
  TextTable table(
      {"segment", "ops", "A steps", "B steps", "A latency", "B latency", "B - A", "differs in"});
  std::string details;
  std::size_t hidden = 0;
  double hiddenDelta = 0;
  for (const OverviewRow& row : mergeSame(segments)) {
    const Segment& s = row.sum;
    if (!s.same() && std::abs(s.delta()) < least) {
      ++hidden;
      hiddenDelta += s.delta();
      continue;
    }
    table.addRow({std::to_string(row.index), std::to_string(s.ops), rangeText(s.a.steps),
                  rangeText(s.b.steps), formatNumber(s.a.latency), formatNumber(s.b.latency),
                  signedNumber(s.delta()), s.same() ? "nothing" : joined(s.differences)});
    if (!s.same()) details += segmentText(problem, a, b, s, row.index);
  }
  std::string text = table.text();
  if (hidden > 0) {
    text += "and " + std::to_string(hidden) + " segments that change less, together " +
            signedNumber(hiddenDelta) + " (--json has them)\n";
  }
  const double percent = totalA > 0 ? 100 * (totalB - totalA) / totalA : 0;
  return text + details + "\ntotal latency: A " + formatNumber(totalA) + " in " +
         std::to_string(a.schedule.steps.size()) + " steps, B " + formatNumber(totalB) + " in " +
         std::to_string(b.schedule.steps.size()) + " steps, B - A " +
         signedNumber(totalB - totalA) + " (" + (percent > 0 ? "+" : "") + formatFixed(percent, 2) +
         " %)\n";
}

std::string comparisonJson(const JudgedSchedule& a, const JudgedSchedule& b,
                           const std::vector<Segment>& segments) {
  Json list = Json::array();
  for (const Segment& s : segments) {
    list.push_back({{"ops", s.ops},
                    {"a_steps", rangeJson(s.a.steps)},
                    {"b_steps", rangeJson(s.b.steps)},
                    {"a_latency", jsonNumber(s.a.latency)},
                    {"b_latency", jsonNumber(s.b.latency)},
                    {"delta", jsonNumber(s.delta())},
                    {"same", s.same()},
                    {"differs_in", s.differences},
                    {"a_remade", jsonIds(s.a.remade)},
                    {"b_remade", jsonIds(s.b.remade)}});
  }
  const double totalA = a.evaluation.totalLatency;
  const double totalB = b.evaluation.totalLatency;
  return dumpObject({{"a_latency", jsonNumber(totalA)},
                     {"b_latency", jsonNumber(totalB)},
                     {"delta", jsonNumber(totalB - totalA)},
                     {"segments", std::move(list)}});
}

}  // namespace tilebeam::cli
