#include <cmath>
#include <cstdint>

#include "cli/json_values.h"
#include "cli/markup.h"
#include "cli/renderers.h"
#include "cli/text_table.h"

namespace tilebeam::cli {
namespace {

// Tracks, from top to bottom.
enum Track : int { kSteps = 1, kCompute = 2, kMemory = 3 };

// Viewers count in nanoseconds, 64 bits wide. One time unit is a microsecond, unless the whole
// would then be too short or too long to show; then it is that times a power of ten.
double microsecondsPerUnit(double total) {
  if (total <= 0) return 1;
  const double decade = std::floor(std::log10(total));
  if (decade < 1) return std::pow(10, 3 - decade);
  if (decade > 12) return std::pow(10, 12 - decade);
  return 1;
}

Json named(const char* what, int track, const std::string& name) {
  return {{"ph", "M"}, {"name", what}, {"pid", 1}, {"tid", track}, {"args", {{"name", name}}}};
}

Json order(int track) {
  return {{"ph", "M"},
          {"name", "thread_sort_index"},
          {"pid", 1},
          {"tid", track},
          {"args", {{"sort_index", track}}}};
}

class Trace {
 public:
  explicit Trace(const SchedulePicture& picture)
      : picture_(picture), scale_(microsecondsPerUnit(picture.totals.latency)) {
    add(named("process_name", 0, "tilebeam " + picture.title));
    const auto addTrack = [&](Track track, const char* name) {
      add(named("thread_name", track, name));
      add(order(track));
    };
    addTrack(kSteps, "steps");
    addTrack(kCompute, "compute");
    addTrack(kMemory, "memory");
    for (std::size_t s = 0; s < picture.steps.size(); ++s) addStep(s);
    // A counter keeps its value to the right.
    addCounters(picture.begin + picture.latency, 0, 0);
  }

  std::string text() const {
    const Hardware& hardware = picture_.problem.hardware();
    const Json other{
        {"version", TILEBEAM_VERSION},
        {"problem", picture_.title},
        {"depth", picture_.depth == DepthReading::kFull ? "full" : "native"},
        {"time", "1 time unit of the cost model is shown as " + formatNumber(scale_) + " us"},
        {"microseconds_per_time_unit", jsonNumber(scale_)},
        {"total_latency", jsonNumber(picture_.totals.latency)},
        {"bound", jsonNumber(picture_.bound)},
        {"fast_memory_capacity", hardware.fastMemoryCapacity}};
    return "{\n  \"displayTimeUnit\": \"ms\",\n  \"otherData\": " + dumpLine(other) +
           ",\n  \"traceEvents\": [" + events_ + "\n  ]\n}\n";
  }

 private:
  void add(const Json& event) {
    events_ += (events_.empty() ? "\n    " : ",\n    ") + dumpLine(event);
  }

  void addSlice(Track track, std::string name, const char* category, double start, double duration,
                Json args) {
    add({{"ph", "X"},
         {"name", std::move(name)},
         {"cat", category},
         {"pid", 1},
         {"tid", static_cast<int>(track)},
         {"ts", jsonNumber(start * scale_)},
         {"dur", jsonNumber(duration * scale_)},
         {"args", std::move(args)}});
  }

  // Two counters of one value each: viewers stack the values of one.
  void addCounters(double at, std::int64_t peak, std::int64_t resident) {
    const auto count = [&](const char* name, std::int64_t elements) {
      add({{"ph", "C"},
           {"name", name},
           {"pid", 1},
           {"tid", 0},
           {"ts", jsonNumber(at * scale_)},
           {"args", {{"elements", elements}}}});
    };
    count("fast memory: peak", peak);
    count("fast memory: retained by the step before", resident);
  }

  void addStep(std::size_t s) {
    const Step& step = picture_.schedule.steps[s];
    const StepReport& report = picture_.evaluation.steps[s];
    const StepAccount& account = report.account;
    const double start = picture_.begin + picture_.steps[s].start;
    const std::size_t number = picture_.first + s;
    const std::string name = "step " + std::to_string(number);
    const Granularity& g = step.granularity;
    addSlice(kSteps, name, boundBy(report), start, account.cost.latency,
             {{"step", number},
              {"latency", jsonNumber(account.cost.latency)},
              {"bound_by", boundBy(report)},
              {"ops", jsonIds(step.ops)},
              {"granularity", Json::array({g.width, g.height, g.depth})},
              {"tiles", report.tiles},
              {"k_steps", report.kSteps},
              {"peak_fast_memory", account.cost.peakFastMemory},
              {"retained", jsonIds(step.retained)},
              {"stored", jsonIds(report.stored)}});
    addSlice(kCompute, name, "compute", start, account.computeTime,
             {{"compute_time", jsonNumber(account.computeTime)}});
    addSlice(kMemory, name, "memory", start, account.memoryTime,
             {{"memory_time", jsonNumber(account.memoryTime)},
              {"loads", jsonNumber(account.loads)},
              {"stores", jsonNumber(account.stores)}});
    addCounters(start, account.cost.peakFastMemory, picture_.steps[s].residentElements);
  }

  const SchedulePicture& picture_;
  double scale_;
  std::string events_;  // one to a line; as values they would fill the memory
};

}  // namespace

std::string renderTrace(const SchedulePicture& picture) { return Trace(picture).text(); }

}  // namespace tilebeam::cli
