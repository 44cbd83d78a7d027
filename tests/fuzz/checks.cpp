#include "fuzz/checks.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "fuzz/agreement.h"
#include "fuzz/structured_case.h"
#include "tilebeam/errors.h"
#include "tilebeam/json_io.h"

namespace tilebeam::fuzz {
namespace {

template <class Parse>
auto accepted(Parse parse, std::string_view text) -> std::optional<decltype(parse(text))> {
  try {
    return parse(text);
  } catch (const InputError& error) {
    const std::string_view why = error.what();
    if (why.find('\n') != std::string_view::npos) throw Fault("a message of several lines");
    if (why.size() > 1'000) throw Fault("a message of " + std::to_string(why.size()) + " bytes");
    return std::nullopt;
  }
}

Outcome judge(const Problem& problem, const Schedule& schedule, const Limits& limits) {
  Outcome outcome = Outcome::kJudged;
  for (const DepthReading depth : {DepthReading::kNative, DepthReading::kFull}) {
    const Agreement agreement = compareSimulators(problem, schedule, depth, limits.literalWork);
    if (!agreement.compared) return Outcome::kJudged;
    outcome = agreement.evaluation.valid() ? Outcome::kValid : Outcome::kCompared;
  }
  return outcome;
}

void requireSameWhenWritten(const Problem& problem) {
  const std::string text = writeProblem(problem);
  if (writeProblem(parseProblem(text)) != text) throw Fault("the problem changes when written");
}

// Only valid schedules can be written: their orders are known to be permutations.
void requireSameWhenWritten(const Problem& problem, const Schedule& schedule) {
  const Evaluation before = ScheduleEvaluator(problem).evaluate(schedule);
  if (!before.valid()) return;
  std::vector<double> latencies;
  for (const StepReport& report : before.steps) {
    latencies.push_back(report.account.cost.latency);
  }
  const Schedule read = parseSchedule(writeSchedule(problem, schedule, latencies));
  const Evaluation after = ScheduleEvaluator(problem).evaluate(read);
  if (!after.valid() || after.totalLatency != before.totalLatency) {
    throw Fault("the schedule changes when written");
  }
}

}  // namespace

Outcome checkProblem(std::string_view text, std::string_view schedule, const Limits& limits) {
  const auto problem = accepted(parseProblem, text);
  if (!problem) return Outcome::kRefused;
  if (problem->opCount() > limits.operations) return Outcome::kJudged;
  requireSameWhenWritten(*problem);
  Outcome best = Outcome::kJudged;
  for (const std::uint64_t coarseness : {0U, 0x15U, 0x36U}) {
    best = std::max(best, judge(*problem, singleOpSchedule(*problem, coarseness), limits));
  }
  if (schedule.empty()) return best;
  return std::max(best, judge(*problem, parseSchedule(schedule), limits));
}

Outcome checkSchedule(std::string_view problemText, std::string_view text, const Limits& limits) {
  const auto schedule = accepted(parseSchedule, text);
  if (!schedule) return Outcome::kRefused;
  const Problem problem = parseProblem(problemText);
  const Outcome outcome = judge(problem, *schedule, limits);
  requireSameWhenWritten(problem, *schedule);
  return outcome;
}

Outcome checkEvaluation(std::span<const std::uint8_t> bytes, const Limits& limits) {
  const std::optional<StructuredCase> read = structuredCase(bytes);
  if (!read) return Outcome::kRefused;
  requireSameWhenWritten(read->problem);
  requireSameWhenWritten(read->problem, read->schedule);
  return judge(read->problem, read->schedule, limits);
}

std::string_view scheduleFuzzerProblem() {
  // x W1 -> +b -> W2, and a second use of the first product: MatMuls, Pointwise ops, a diamond.
  return R"({"widths": [8, 6, 6, 6, 6, 5, 5, 6], "heights": [7, 8, 7, 7, 7, 6, 7, 7],
    "op_types": ["MatMul", "Pointwise", "MatMul", "Pointwise"],
    "inputs": [[0, 1], [2, 3], [4, 5], [2, 4]], "outputs": [[2], [4], [6], [7]],
    "base_costs": [12, 3, 10, 2.5], "fast_memory_capacity": 400, "slow_memory_bandwidth": 3,
    "native_granularity": [4, 4]})";
}

}  // namespace tilebeam::fuzz
