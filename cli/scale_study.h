// How the search's speed depends on its threads: the same fixed work under every combination of
// settings.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tilebeam/solver.h"

namespace tilebeam::cli {

// What is tried, in every combination. 0: left to the solver.
struct ScaleRequest {
  std::vector<int> threads;
  std::vector<int> grainSizes{0};
  std::vector<int> beamWidths{0};
  std::vector<int> tokens{0};
  std::vector<int> projected;  // numbers of virtual workers
  std::int64_t maxRounds = 0;  // 0: by the most workers; see runScaleStudy
  int repeats = 3;
  bool copies = false;  // as many runs of one thread at once, beside those of several
};

// All settings but the threads.
struct ScaleSetting {
  int grainSize = 0;
  int beamWidth = 0;
  int tokens = 0;

  friend bool operator==(const ScaleSetting&, const ScaleSetting&) = default;
};

// One run.
struct ScaleSample {
  double seconds = 0;     // of wall time
  double cpuSeconds = 0;  // of all threads together
  std::int64_t stepsScored = 0;
  std::int64_t cacheHits = 0;
  std::int64_t cacheMisses = 0;
  std::int64_t rounds = 0;
  std::string schedule;  // as it would be written
};

// The medians of a combination's runs.
struct ScaleRow {
  ScaleSetting setting;
  int threads = 0;
  double seconds = 0;
  double cpuSeconds = 0;
  double copiesSeconds = 0;  // until as many copies of one thread were done; 0: none were run
  double speedup = 1;        // against the fewest threads of the same setting
  // The speedup of copies that have nothing to wait for but the machine: the work of as many in the
  // time they take at once, against the fewest. None for the fewest, and without copies.
  std::optional<double> machine;
  double efficiency = 1;  // speedup by the multiple of threads
  double stepsPerSecond = 0;
  double hitRate = 0;     // of the step cache
  bool identical = true;  // all, copies too, gave the schedule of the fewest, byte for byte
  std::string schedule;   // of the first run
};

// One run on one thread, replayed.
struct ScaleProjection {
  ScaleSetting setting;
  double seconds = 0;  // of the run, by the clock
  TraceLimits limits;
  std::vector<int> workers;
  std::vector<double> speedups;  // against one worker
};

struct ScaleStudy {
  std::int64_t rounds = 0;     // of search in each run, at most
  bool copies = false;         // as asked for
  std::vector<ScaleRow> rows;  // by setting, then by threads
  std::vector<ScaleProjection> projections;

  bool identical() const;
};

// The solver as it is, or in tests something quicker. Called from several threads at once for
// copies. A run that is stopped throws InterruptedError.
using ScaleRun = std::function<ScaleSample(const SolverOptions&, TaskTrace*)>;
ScaleRun solverRun(const Problem& problem, const CancellationToken& stop);

// Runs take turns: each combination once, with its copies, then each again. How many rounds there
// are, if that is not given, the fewest threads tell under the first setting: as many as leave the
// most workers, measured or projected, 0.1 s each, but 1 s to 10 s in all. `report` is told how
// many rounds of turns have been done.
ScaleStudy runScaleStudy(
    const ScaleRequest& request, const ScaleRun& run,
    const std::function<void(int)>& report = [](int) {});

}  // namespace tilebeam::cli
