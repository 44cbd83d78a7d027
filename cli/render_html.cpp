#include <array>

#include "cli/json_values.h"
#include "cli/markup.h"
#include "cli/page_files.h"
#include "cli/page_graph.h"
#include "cli/renderers.h"

namespace tilebeam::cli {
namespace {

Json problemJson(const SchedulePicture& picture) {
  const Problem& problem = picture.problem;
  const Hardware& hardware = problem.hardware();
  return {{"ops", problem.opCount()},
          {"tensors", problem.tensorCount()},
          {"capacity", hardware.fastMemoryCapacity},
          {"bandwidth", jsonNumber(hardware.slowMemoryBandwidth)},
          {"native", Json::array({hardware.nativeWidth, hardware.nativeHeight})},
          {"depth", picture.depth == DepthReading::kFull ? "full" : "native"}};
}

Json summaryJson(const SchedulePicture& picture) {
  const ScheduleTotals& totals = picture.totals;
  return {{"total_latency", jsonNumber(totals.latency)},
          {"bound", jsonNumber(picture.bound)},
          {"gap", jsonNumber(picture.gap())},
          {"steps", totals.steps},
          {"compute_bound", totals.computeBound},
          {"peak_fast_memory", totals.peak},
          {"loads", jsonNumber(totals.loads)},
          {"stores", jsonNumber(totals.stores)}};
}

Json stepJson(const SchedulePicture& picture, std::size_t s) {
  const Step& step = picture.schedule.steps[s];
  const StepPicture& shown = picture.steps[s];
  const StepReport& report = picture.evaluation.steps[s];
  const StepAccount& account = report.account;
  const Granularity& g = step.granularity;
  Json loaded = Json::array();
  for (const TensorLoad& load : shown.loads) {
    loaded.push_back(Json::array({load.tensor.value(), jsonNumber(load.elements)}));
  }
  return {{"start", jsonNumber(shown.start)},
          {"latency", jsonNumber(account.cost.latency)},
          {"compute_time", jsonNumber(account.computeTime)},
          {"memory_time", jsonNumber(account.memoryTime)},
          {"bound_by", boundBy(report)},
          {"peak_fast_memory", account.cost.peakFastMemory},
          {"resident_elements", shown.residentElements},
          {"retained_elements", shown.retainedElements},
          {"loads", jsonNumber(account.loads)},
          {"stores", jsonNumber(account.stores)},
          {"ops", jsonIds(step.ops)},
          {"granularity", Json::array({g.width, g.height, g.depth})},
          {"tiles", report.tiles},
          {"k_steps", report.kSteps},
          {"resident", jsonIds(shown.resident)},
          {"retained", jsonIds(step.retained)},
          {"stored", jsonIds(report.stored)},
          {"loaded", std::move(loaded)}};
}

const char* roleOf(const Problem& problem, TensorId t) {
  if (problem.isGraphInput(t)) return "input";
  if (problem.isGraphOutput(t)) return "output";
  return problem.graph().producer(t).valid() ? "inner" : "unused";
}

Json tensorJson(const Problem& problem, TensorId t) {
  const Tensor& tensor = problem.tensor(t);
  return Json::array({tensor.height, tensor.width, roleOf(problem, t)});
}

Json opJson(const Op& op) {
  return Json::array(
      {name(op.type), jsonNumber(op.baseCost), jsonIds(op.inputs), op.output.value()});
}

// All of the problem, as lists; or what the steps shown touch, by number.
Json tensorsJson(const SchedulePicture& picture) {
  const Problem& problem = picture.problem;
  Json tensors = picture.partial() ? Json::object() : Json::array();
  const auto add = [&](TensorId t) { tensors[std::to_string(t.value())] = tensorJson(problem, t); };
  for (std::size_t i = 0; i < problem.tensorCount() && !picture.partial(); ++i) {
    tensors.push_back(tensorJson(problem, TensorId::fromIndex(i)));
  }
  for (std::size_t s = 0; s < picture.steps.size() && picture.partial(); ++s) {
    for (const TensorId t : picture.steps[s].resident) add(t);
    for (const OpId o : picture.schedule.steps[s].ops) {
      for (const TensorId t : problem.op(o).inputs) add(t);
      add(problem.op(o).output);
    }
  }
  return tensors;
}

Json opsJson(const SchedulePicture& picture) {
  const Problem& problem = picture.problem;
  Json ops = picture.partial() ? Json::object() : Json::array();
  if (!picture.partial()) {
    for (const Op& op : problem.ops()) ops.push_back(opJson(op));
    return ops;
  }
  for (const Step& step : picture.schedule.steps) {
    for (const OpId o : step.ops) ops[std::to_string(o.value())] = opJson(problem.op(o));
  }
  return ops;
}

// In a script element only "</script" and "<!--" have a meaning, and in JSON a "<" stands in
// strings alone.
std::string pageData(const SchedulePicture& picture) {
  const Json data{{"title", picture.title},
                  {"version", TILEBEAM_VERSION},
                  {"problem", problemJson(picture)},
                  {"summary", summaryJson(picture)},
                  {"first_step", picture.first},
                  {"begin", jsonNumber(picture.begin)},
                  {"latency", jsonNumber(picture.latency)},
                  {"tensors", tensorsJson(picture)},
                  {"ops", opsJson(picture)},
                  {"graph", pageGraph(picture)}};
  std::string text = dumpLine(data);
  text.back() = ',';
  text += "\"steps\":[";
  // One at a time: as values of one document they would fill the memory.
  for (std::size_t s = 0; s < picture.steps.size(); ++s) {
    text += (s == 0 ? "" : ",") + dumpLine(stepJson(picture, s));
  }
  text += "]}";
  return replacedAll(std::move(text), "<", "\\u003c");
}

// The page with each "@NAME@" replaced once; what is put in is not looked at again.
std::string filledPage(const std::string& title, const std::string& data) {
  const std::array<std::pair<std::string_view, std::string>, 4> parts{
      {{"@TITLE@", title},
       {"@STYLE@", std::string(kPageStyle)},
       {"@DATA@", data},
       {"@SCRIPT@", std::string(kPageScript)}}};
  std::string page;
  std::string_view rest = kPageHtml;
  for (const auto& [name, content] : parts) {
    const std::size_t at = rest.find(name);
    page.append(rest.substr(0, at)).append(content);
    rest.remove_prefix(at + name.size());
  }
  return page.append(rest);
}

}  // namespace

std::string renderHtml(const SchedulePicture& picture) {
  return filledPage(xmlEscaped("Schedule of " + picture.title), pageData(picture));
}

}  // namespace tilebeam::cli
