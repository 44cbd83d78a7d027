// writeProblem and writeSchedule: one line per flat list, and one per entry of a nested list.
#include <stdexcept>
#include <vector>

#include "simulator/json_text.h"
#include "tilebeam/json_io.h"

namespace tilebeam {
namespace {

class ObjectText {
 public:
  template <class Append>
  void add(const char* key, Append append) {
    text_ += text_.empty() ? "{\n" : ",\n";
    text_.append("  \"").append(key).append("\": ");
    append(text_);
  }

  template <class Values, class Append>
  void addList(const char* key, const Values& values, Append append) {
    add(key, [&](std::string& out) { json::appendList(out, values, append); });
  }

  // Each entry on a line of its own.
  template <class Values, class Append>
  void addRows(const char* key, const Values& values, Append append) {
    add(key, [&](std::string& out) {
      const char* separator = "[\n    ";
      for (const auto& value : values) {
        out += separator;
        append(out, value);
        separator = ",\n    ";
      }
      out += values.empty() ? "[]" : "\n  ]";
    });
  }

  std::string finish() && { return std::move(text_) + "\n}\n"; }

 private:
  std::string text_;
};

constexpr auto kAppendNumber = [](std::string& out, auto value) { json::appendNumber(out, value); };

constexpr auto kAppendIds = [](std::string& out, const auto& ids) {
  json::appendList(out, ids, [](std::string& text, auto id) {
    json::appendNumber(text, std::int64_t{id.value()});
  });
};

template <class Ids>
void appendNumbers(std::string& out, const Schedule& schedule, const Ids& ids) {
  json::appendList(
      out, ids, [&](std::string& text, auto id) { json::appendNumber(text, schedule.number(id)); });
}

void appendGranularity(std::string& out, const Granularity& g) {
  json::appendList(out, std::vector{g.width, g.height, g.depth}, kAppendNumber);
}

std::int64_t tilesAlong(std::int64_t length, std::int64_t tile) {
  return tile > 0 ? (length + tile - 1) / tile : 1;
}

// Orders that coincide with raster on the step's grid are null too.
void appendTraversal(std::string& out, const Problem& problem, const Step& step) {
  if (step.traversal.kind == TraversalKind::kExplicit) {
    json::appendList(out, step.traversal.order, kAppendNumber);
    return;
  }
  // Producers stand before consumers, so the last op is a sink.
  const Tensor& grid = problem.tensor(problem.op(step.ops.back()).output);
  const std::int64_t columns = tilesAlong(grid.width, step.granularity.width);
  const std::int64_t rows = tilesAlong(grid.height, step.granularity.height);
  const bool raster = step.traversal.kind == TraversalKind::kRaster || columns == 1 || rows == 1;
  if (raster) {
    out += "null";
  } else {
    json::appendList(out, tileOrder(step.traversal.kind, columns, rows), kAppendNumber);
  }
}

}  // namespace

std::string writeProblem(const Problem& problem) {
  ObjectText text;
  text.addList("widths", problem.tensors(),
               [](std::string& out, const Tensor& t) { json::appendNumber(out, t.width); });
  text.addList("heights", problem.tensors(),
               [](std::string& out, const Tensor& t) { json::appendNumber(out, t.height); });
  text.addList("op_types", problem.ops(), [](std::string& out, const Op& op) {
    out.append("\"").append(name(op.type)).append("\"");
  });
  text.addRows("inputs", problem.ops(),
               [](std::string& out, const Op& op) { kAppendIds(out, op.inputs); });
  text.addRows("outputs", problem.ops(),
               [](std::string& out, const Op& op) { kAppendIds(out, std::vector{op.output}); });
  text.addList("base_costs", problem.ops(),
               [](std::string& out, const Op& op) { json::appendNumber(out, op.baseCost); });
  const Hardware& hardware = problem.hardware();
  text.add("fast_memory_capacity",
           [&](std::string& out) { json::appendNumber(out, hardware.fastMemoryCapacity); });
  text.add("slow_memory_bandwidth",
           [&](std::string& out) { json::appendNumber(out, hardware.slowMemoryBandwidth); });
  text.addList("native_granularity", std::vector{hardware.nativeWidth, hardware.nativeHeight},
               kAppendNumber);
  return std::move(text).finish();
}

std::string writeSchedule(const Problem& problem, const Schedule& schedule,
                          const std::vector<double>& latencies) {
  if (latencies.size() != schedule.steps.size()) {
    throw std::invalid_argument("writeSchedule: one latency per step");
  }
  ObjectText text;
  text.addRows("subgraphs", schedule.steps,
               [&](std::string& out, const Step& step) { appendNumbers(out, schedule, step.ops); });
  text.addRows("granularities", schedule.steps, [](std::string& out, const Step& step) {
    appendGranularity(out, step.granularity);
  });
  text.addRows("tensors_to_retain", schedule.steps, [&](std::string& out, const Step& step) {
    appendNumbers(out, schedule, step.retained);
  });
  text.addRows("traversal_orders", schedule.steps,
               [&](std::string& out, const Step& step) { appendTraversal(out, problem, step); });
  text.addRows("subgraph_latencies", latencies, kAppendNumber);
  return std::move(text).finish();
}

}  // namespace tilebeam
