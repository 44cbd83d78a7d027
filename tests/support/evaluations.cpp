#include "support/evaluations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace tilebeam::test {
namespace {

void expectClose(double actual, double expected, const char* what) {
  EXPECT_NEAR(actual, expected, 1e-9 * std::max(1.0, std::abs(expected))) << what;
}

}  // namespace

void expectSame(const StepAccount& actual, const StepAccount& expected) {
  expectClose(actual.cost.latency, expected.cost.latency, "latency");
  EXPECT_EQ(actual.cost.peakFastMemory, expected.cost.peakFastMemory);
  expectClose(actual.computeTime, expected.computeTime, "compute time");
  expectClose(actual.memoryTime, expected.memoryTime, "memory time");
  expectClose(actual.loads, expected.loads, "loads");
  expectClose(actual.stores, expected.stores, "stores");
}

Evaluation evaluate(const Problem& problem, const std::vector<Step>& steps, DepthReading depth) {
  const Schedule schedule{steps};
  const Evaluation fastest =
      ScheduleEvaluator(problem, {depth, SimulatorChoice::kFastest}).evaluate(schedule);
  const Evaluation literal =
      ScheduleEvaluator(problem, {depth, SimulatorChoice::kLiteral}).evaluate(schedule);
  EXPECT_EQ(fastest.valid(), literal.valid());
  if (fastest.violation && literal.violation) {
    EXPECT_EQ(fastest.violation->message(), literal.violation->message());
  }
  EXPECT_EQ(fastest.steps.size(), literal.steps.size());
  for (std::size_t i = 0; i < std::min(fastest.steps.size(), literal.steps.size()); ++i) {
    SCOPED_TRACE("step " + std::to_string(i));
    expectSame(fastest.steps[i].account, literal.steps[i].account);
    EXPECT_EQ(fastest.steps[i].stored, literal.steps[i].stored);
  }
  expectClose(fastest.totalLatency, literal.totalLatency, "total latency");
  return fastest;
}

std::string verdict(const Problem& problem, const std::vector<Step>& steps) {
  const Evaluation evaluation = evaluate(problem, steps);
  return evaluation.violation ? evaluation.violation->message() : "valid";
}

std::vector<double> latencies(const Evaluation& evaluation) {
  std::vector<double> values;
  for (const StepReport& report : evaluation.steps) values.push_back(report.account.cost.latency);
  return values;
}

std::vector<std::int64_t> peaks(const Evaluation& evaluation) {
  std::vector<std::int64_t> values;
  for (const StepReport& report : evaluation.steps) {
    values.push_back(report.account.cost.peakFastMemory);
  }
  return values;
}

}  // namespace tilebeam::test
