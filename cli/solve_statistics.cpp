#include "cli/solve_statistics.h"

#include <sys/resource.h>

#include <fstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "cli/commands.h"
#include "cli/json_values.h"
#include "cli/option_table.h"

namespace tilebeam::cli {
namespace {

Json optionsJson(const SolverOptions& options) {
  const auto toJson = [](auto value) -> Json {
    if constexpr (std::is_same_v<decltype(value), DepthReading>) {
      return depthName(value);
    } else if constexpr (std::is_same_v<decltype(value), FeatureSet>) {
      Json names = Json::array();
      for (std::size_t i = 0; i < kFeatureCount; ++i) {
        const auto feature = static_cast<Feature>(i);
        if (value.contains(feature)) names.push_back(std::string(name(feature)));
      }
      return names;
    } else if constexpr (std::is_same_v<decltype(value), double>) {
      return jsonNumber(value);
    } else {
      return value;
    }
  };
  Json object = Json::object();
  for (const OptionRow& row : optionTable()) {
    object[row.name] = std::visit([&](auto member) { return toJson(options.*member); }, row.member);
  }
  return object;
}

Json countersJson(const SearchCounters& counters) {
  return {{"rounds", counters.rounds},
          {"steps_scored", counters.stepsScored},
          {"step_cache_hits", counters.stepCacheHits},
          {"step_cache_misses", counters.stepCacheMisses},
          {"candidates", counters.candidates},
          {"states_expanded", counters.statesExpanded},
          {"states_generated", counters.statesGenerated},
          {"duplicate_states", counters.duplicateStates},
          {"plans_rejected", counters.plansRejected}};
}

Json incumbentsJson(const std::vector<Incumbent>& history) {
  Json list = Json::array();
  for (const Incumbent& incumbent : history) {
    list.push_back({{"seconds", jsonNumber(incumbent.seconds)},
                    {"round", incumbent.round},
                    {"latency", jsonNumber(incumbent.latency)},
                    {"bound", jsonNumber(incumbent.bound)},
                    {"source", incumbent.source},
                    {"steps_scored", incumbent.stepsScored}});
  }
  return list;
}

// Of this program since it began: the other count of Linux also goes back to whoever started it.
std::int64_t peakMemoryBytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    constexpr std::string_view kKey = "VmHWM:";
    if (line.starts_with(kKey)) return std::stoll(line.substr(kKey.size())) * 1024;
  }
  struct rusage usage {};
  getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{usage.ru_maxrss} * 1024;
}

}  // namespace

std::string statisticsJson(const SolveRun& run) {
  const SolveResult& result = run.result;
  return dumpObject({{"version", TILEBEAM_VERSION},
                     {"arguments", run.arguments},
                     {"problem", run.problemPath},
                     {"ops", run.problem.opCount()},
                     {"tensors", run.problem.tensorCount()},
                     {"status", name(result.status)},
                     {"total_latency", jsonNumber(result.totalLatency)},
                     {"bound", jsonNumber(result.bound)},
                     {"gap", jsonNumber(result.gap())},
                     {"steps", result.schedule.steps.size()},
                     {"options", optionsJson(result.options)},
                     {"counters", countersJson(result.counters)},
                     {"timings",
                      {{"read_seconds", jsonNumber(run.readSeconds)},
                       {"solve_seconds", jsonNumber(result.seconds)},
                       {"total_seconds", jsonNumber(run.totalSeconds)}}},
                     {"peak_memory_bytes", peakMemoryBytes()},
                     {"incumbents", incumbentsJson(result.history)}});
}

}  // namespace tilebeam::cli
