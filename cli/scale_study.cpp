#include "cli/scale_study.h"

#include <sys/resource.h>

#include <algorithm>
#include <limits>

#include "cli/exit_code.h"
#include "cli/scale_copies.h"
#include "cli/stopwatch.h"
#include "tilebeam/errors.h"
#include "tilebeam/json_io.h"

namespace tilebeam::cli {
namespace {

double cpuSeconds() {
  struct rusage usage {};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::vector<ScaleSetting> settingsOf(const ScaleRequest& request) {
  std::vector<ScaleSetting> settings;
  for (const int grain : request.grainSizes) {
    for (const int width : request.beamWidths) {
      for (const int tokens : request.tokens) settings.push_back({grain, width, tokens});
    }
  }
  return settings;
}

SolverOptions optionsFor(const ScaleRequest& request, const ScaleSetting& setting, int threads) {
  SolverOptions options;
  options.threads = threads;
  options.timeLimit = std::numeric_limits<double>::infinity();
  options.maxRounds = request.maxRounds;
  options.grainSize = setting.grainSize;
  options.beamWidth = setting.beamWidth;
  options.tokens = setting.tokens;
  return options;
}

// For the fewest threads. Shorter runs say more about how threads wake up than about the search:
// its first rounds take a few milliseconds of some graphs. The most workers asked for are to have a
// tenth of a second each, as far as that takes one run no longer than ten.
double secondsWorthTiming(const ScaleRequest& request) {
  constexpr double kLeast = 1;
  constexpr double kMost = 10;
  constexpr double kOfEachWorker = 0.1;
  const auto [fewest, most] = std::minmax_element(request.threads.begin(), request.threads.end());
  const auto projected = std::max_element(request.projected.begin(), request.projected.end());
  const int workers = projected != request.projected.end() ? std::max(*most, *projected) : *most;
  return std::clamp(kOfEachWorker * workers / *fewest, kLeast, kMost);
}

std::int64_t roundsWorthTiming(const ScaleRequest& request, const ScaleRun& run) {
  constexpr std::int64_t kFewest = 6;  // beams, and what follows them
  const int threads = *std::min_element(request.threads.begin(), request.threads.end());
  SolverOptions options = optionsFor(request, settingsOf(request).front(), threads);
  options.timeLimit = secondsWorthTiming(request);
  // The last was cut short, and may take as long as all before it.
  return std::max(kFewest, run(options, nullptr).rounds - 1);
}

struct Combination {
  ScaleSetting setting;
  int threads = 0;
  std::vector<ScaleSample> samples;
  std::vector<CopiesSample> copies;  // as many as threads
};

std::vector<Combination> combine(const ScaleRequest& request) {
  std::vector<Combination> combinations;
  for (const ScaleSetting& setting : settingsOf(request)) {
    for (const int threads : request.threads) combinations.push_back({setting, threads, {}, {}});
  }
  return combinations;
}

// Runs each combination once. A run of one thread is its own only copy.
void takeTurns(std::vector<Combination>& combinations, const ScaleRequest& request,
               const ScaleRun& run) {
  for (Combination& c : combinations) {
    c.samples.push_back(run(optionsFor(request, c.setting, c.threads), nullptr));
    if (!request.copies || request.threads.size() == 1) continue;
    const ScaleSample& sample = c.samples.back();
    c.copies.push_back(c.threads == 1 ? CopiesSample{sample.seconds, true}
                                      : runCopies(c.threads, optionsFor(request, c.setting, 1), run,
                                                  sample.schedule));
  }
}

template <class Sample, class Value>
double median(const std::vector<Sample>& samples, const Value& value) {
  std::vector<double> values;
  for (const Sample& sample : samples) values.push_back(static_cast<double>(value(sample)));
  std::sort(values.begin(), values.end());
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

double hitRate(const ScaleSample& sample) {
  const auto looks = static_cast<double>(sample.cacheHits + sample.cacheMisses);
  return looks > 0 ? static_cast<double>(sample.cacheHits) / looks : 0;
}

ScaleRow summarise(const Combination& combination) {
  const std::vector<ScaleSample>& samples = combination.samples;
  ScaleRow row;
  row.setting = combination.setting;
  row.threads = combination.threads;
  row.seconds = median(samples, [](const auto& s) { return s.seconds; });
  row.cpuSeconds = median(samples, [](const auto& s) { return s.cpuSeconds; });
  if (!combination.copies.empty()) {
    row.copiesSeconds = median(combination.copies, [](const auto& c) { return c.seconds; });
  }
  row.stepsPerSecond =
      median(samples, [](const auto& s) { return s.stepsScored; }) / std::max(row.seconds, 1e-9);
  row.hitRate = median(samples, hitRate);
  row.schedule = samples.front().schedule;
  row.identical = std::all_of(samples.begin(), samples.end(),
                              [&](const auto& s) { return s.schedule == row.schedule; }) &&
                  std::all_of(combination.copies.begin(), combination.copies.end(),
                              [](const auto& c) { return c.identical; });
  return row;
}

// Each row with that of the fewest threads of its setting.
void compare(std::vector<ScaleRow>& rows) {
  for (ScaleRow& row : rows) {
    const ScaleRow* base = &row;
    for (const ScaleRow& other : rows) {
      if (other.setting == row.setting && other.threads < base->threads) base = &other;
    }
    row.speedup = row.seconds > 0 ? base->seconds / row.seconds : 1;
    row.efficiency = row.speedup * base->threads / row.threads;
    if (row.copiesSeconds > 0 && row.threads > base->threads) {
      row.machine = base->copiesSeconds / row.copiesSeconds * row.threads / base->threads;
    }
    row.identical = row.identical && row.schedule == base->schedule;
  }
}

ScaleProjection project(const ScaleRequest& request, const ScaleSetting& setting,
                        const ScaleRun& run) {
  ScaleProjection projection{setting, 0, {}, request.projected, {}};
  for (const int threads : request.threads) projection.workers.push_back(threads);
  std::sort(projection.workers.begin(), projection.workers.end());
  projection.workers.erase(std::unique(projection.workers.begin(), projection.workers.end()),
                           projection.workers.end());
  // Packages are cut as they would be for the most workers.
  SolverOptions options = optionsFor(request, setting, 1);
  if (options.tokens == 0) options.tokens = 4 * projection.workers.back();
  TaskTrace trace;
  projection.seconds = run(options, &trace).seconds;
  projection.limits = limitsOf(trace);
  for (const int workers : projection.workers) {
    const double seconds = replay(trace, static_cast<std::size_t>(workers));
    projection.speedups.push_back(seconds > 0 ? projection.limits.work / seconds : 1);
  }
  return projection;
}

}  // namespace

bool ScaleStudy::identical() const {
  return std::all_of(rows.begin(), rows.end(), [](const ScaleRow& r) { return r.identical; });
}

ScaleRun solverRun(const Problem& problem, const CancellationToken& stop) {
  return [&problem, &stop](const SolverOptions& options, TaskTrace* trace) {
    SolverCallbacks callbacks;
    callbacks.trace = trace;
    ScaleSample sample;
    const double cpuBefore = cpuSeconds();
    const Stopwatch stopwatch;
    const SolveResult result = solve(problem, options, callbacks, &stop);
    // One that came through in spite of a signal is the last, too.
    if (stop.cancelled()) throw InterruptedError("interrupted before all combinations were run");
    if (result.options.threads < options.threads) {
      throw Failure(ExitCode::kProgramFault,
                    "no more than " + std::to_string(result.options.threads) + " of " +
                        std::to_string(options.threads) + " threads could be started");
    }
    sample.seconds = stopwatch.seconds();
    sample.cpuSeconds = cpuSeconds() - cpuBefore;
    sample.stepsScored = result.counters.stepsScored;
    sample.cacheHits = result.counters.stepCacheHits;
    sample.cacheMisses = result.counters.stepCacheMisses;
    sample.rounds = result.counters.rounds;
    sample.schedule = writeSchedule(problem, result.schedule, result.stepLatencies);
    return sample;
  };
}

ScaleStudy runScaleStudy(const ScaleRequest& asked, const ScaleRun& run,
                         const std::function<void(int)>& report) {
  ScaleRequest request = asked;
  if (request.maxRounds == 0) request.maxRounds = roundsWorthTiming(asked, run);
  std::vector<Combination> combinations = combine(request);
  for (int repeat = 0; repeat < request.repeats; ++repeat) {
    takeTurns(combinations, request, run);
    report(repeat + 1);
  }
  ScaleStudy study;
  study.rounds = request.maxRounds;
  study.copies = request.copies;
  for (const Combination& combination : combinations) study.rows.push_back(summarise(combination));
  compare(study.rows);
  if (request.projected.empty()) return study;
  for (const ScaleSetting& setting : settingsOf(request)) {
    study.projections.push_back(project(request, setting, run));
  }
  return study;
}

}  // namespace tilebeam::cli
