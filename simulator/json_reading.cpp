// parseProblem and parseSchedule: from columns to the types they stand for.
#include <map>
#include <utility>
#include <vector>

#include "simulator/json_columns.h"
#include "tilebeam/errors.h"
#include "tilebeam/json_io.h"

namespace tilebeam {
namespace {

using json::Cell;
using json::Column;

enum ProblemKey : std::size_t {
  kWidths,
  kHeights,
  kOpTypes,
  kInputs,
  kOutputs,
  kBaseCosts,
  kCapacity,
  kBandwidth,
  kNative
};

std::vector<Column> problemColumns() {
  return {{"widths", Cell::kInteger, 1},
          {"heights", Cell::kInteger, 1},
          {.key = "op_types", .cell = Cell::kName, .rank = 1, .names = {"MatMul", "Pointwise"}},
          {"inputs", Cell::kInteger, 2},
          {"outputs", Cell::kInteger, 2},
          {"base_costs", Cell::kReal, 1},
          {"fast_memory_capacity", Cell::kInteger, 0},
          {"slow_memory_bandwidth", Cell::kReal, 0},
          {"native_granularity", Cell::kInteger, 1}};
}

TensorId knownTensor(const Column& column, std::size_t o, std::size_t i, std::size_t tensorCount) {
  const std::int64_t value = column.entry(o)[i];
  if (value < 0 || static_cast<std::uint64_t>(value) >= tensorCount) {
    json::refuse(json::place(column, o, i), std::to_string(value) + " is not a tensor; there are " +
                                                std::to_string(tensorCount));
  }
  return TensorId::fromIndex(static_cast<std::size_t>(value));
}

Op opAt(const std::vector<Column>& columns, std::size_t o, std::size_t tensorCount) {
  const std::size_t outputs = columns[kOutputs].entry(o).size();
  if (outputs != 1) {
    json::refuse(json::place(columns[kOutputs], o),
                 "an op has exactly one output, not " + std::to_string(outputs));
  }
  Op op;
  op.type = columns[kOpTypes].integers[o] == 0 ? OpType::kMatMul : OpType::kPointwise;
  op.baseCost = columns[kBaseCosts].reals[o];
  op.inputs.reserve(columns[kInputs].entry(o).size());
  for (std::size_t i = 0; i < columns[kInputs].entry(o).size(); ++i) {
    op.inputs.push_back(knownTensor(columns[kInputs], o, i, tensorCount));
  }
  op.output = knownTensor(columns[kOutputs], o, 0, tensorCount);
  return op;
}

Hardware hardwareOf(const std::vector<Column>& columns) {
  const Column& native = columns[kNative];
  if (native.size() != 2) {
    json::refuse(native.key, "must be two integers, not " + std::to_string(native.size()));
  }
  return {.fastMemoryCapacity = columns[kCapacity].integers[0],
          .slowMemoryBandwidth = columns[kBandwidth].reals[0],
          .nativeWidth = native.integers[0],
          .nativeHeight = native.integers[1]};
}

enum ScheduleKey : std::size_t { kSubgraphs, kGranularities, kRetained, kOrders, kLatencies };

std::vector<Column> scheduleColumns() {
  return {{"subgraphs", Cell::kInteger, 2},
          {"granularities", Cell::kInteger, 2},
          {"tensors_to_retain", Cell::kInteger, 2},
          {"traversal_orders", Cell::kInteger, 2, /*required=*/false, /*nullable=*/true},
          {"subgraph_latencies", Cell::kReal, 1, /*required=*/false, /*nullable=*/true}};
}

// Ids of what a schedule names. Numbers that no problem has, past 32 bits perhaps, are kept for the
// evaluator to name.
class IdReader {
 public:
  template <class AnyId>
  std::vector<AnyId> ids(std::span<const std::int64_t> values) {
    std::vector<AnyId> result;
    result.reserve(values.size());
    for (const std::int64_t value : values) result.push_back(AnyId(idOf(value)));
    return result;
  }

  std::vector<std::int64_t> takeFarNumbers() { return std::move(far_); }

 private:
  std::int32_t idOf(std::int64_t value) {
    if (value >= 0 && value < Schedule::kFirstFar) return static_cast<std::int32_t>(value);
    const auto [place, isNew] =
        places_.try_emplace(value, Schedule::kFirstFar + static_cast<std::int32_t>(far_.size()));
    if (isNew) far_.push_back(value);
    return place->second;
  }

  std::vector<std::int64_t> far_;
  std::map<std::int64_t, std::int32_t> places_;
};

Granularity granularityAt(const Column& column, std::size_t step) {
  const auto values = column.entry(step);
  if (values.size() != 3) {
    json::refuse(json::place(column, step),
                 "must be three integers, not " + std::to_string(values.size()));
  }
  return {values[0], values[1], values[2]};
}

Step stepAt(const std::vector<Column>& columns, std::size_t s, IdReader& reader) {
  Step step;
  step.ops = reader.ids<OpId>(columns[kSubgraphs].entry(s));
  step.granularity = granularityAt(columns[kGranularities], s);
  step.retained = reader.ids<TensorId>(columns[kRetained].entry(s));
  if (columns[kOrders].present && !columns[kOrders].isNull(s)) {
    const auto order = columns[kOrders].entry(s);
    step.traversal = {TraversalKind::kExplicit, {order.begin(), order.end()}};
  }
  if (columns[kLatencies].present && !columns[kLatencies].isNull(s)) {
    step.reportedLatency = columns[kLatencies].reals[s];
  }
  return step;
}

}  // namespace

Problem parseProblem(std::string_view text) {
  std::vector<Column> columns = problemColumns();
  json::readColumns(text, columns);
  json::requireEqualLengths(columns[kWidths], columns[kHeights]);
  for (const ProblemKey key : {kInputs, kOutputs, kBaseCosts}) {
    json::requireEqualLengths(columns[kOpTypes], columns[key]);
  }
  std::vector<Tensor> tensors(columns[kWidths].size());
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    tensors[t] = {columns[kWidths].integers[t], columns[kHeights].integers[t]};
  }
  std::vector<Op> ops;
  ops.reserve(columns[kOpTypes].size());
  for (std::size_t o = 0; o < columns[kOpTypes].size(); ++o) {
    ops.push_back(opAt(columns, o, tensors.size()));
  }
  const Hardware hardware = hardwareOf(columns);
  return {std::move(tensors), std::move(ops), hardware};
}

Schedule parseSchedule(std::string_view text) {
  std::vector<Column> columns = scheduleColumns();
  json::readColumns(text, columns);
  for (const Column& column : columns) {
    if (column.present) json::requireEqualLengths(columns[kSubgraphs], column);
  }
  Schedule schedule;
  IdReader reader;
  schedule.steps.reserve(columns[kSubgraphs].size());
  for (std::size_t s = 0; s < columns[kSubgraphs].size(); ++s) {
    schedule.steps.push_back(stepAt(columns, s, reader));
  }
  schedule.farNumbers = reader.takeFarNumbers();
  return schedule;
}

}  // namespace tilebeam
