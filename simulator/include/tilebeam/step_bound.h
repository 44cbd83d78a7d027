// A lower bound on the latency of one step in its context, over all granularities that fit the fast
// memory and all traversal orders, explicit ones included (docs/bounds.md, "One step").
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tilebeam/step_simulator.h"
#include "tilebeam/subgraph.h"

namespace tilebeam {

enum class BoundEffort : std::uint8_t {
  kQuick,    // sums by tile size alone
  kThorough  // and single tiles, where these are no more than bounds; up to a tenth of a second
};

// `subgraph` has no violation. `extraResident` elements of fast memory are taken up besides, by
// tensors carried in that the step does not take. Infinite if the step fits at no granularity.
// Where there are more granularities than can be looked at, or `stop`, asked now and then, says so,
// those left are taken at their floor: the bound is lower then, and still holds.
double stepLowerBound(const Subgraph& subgraph, const StepContext& context, DepthReading depth,
                      std::int64_t extraResident = 0, const std::function<bool()>& stop = {},
                      BoundEffort effort = BoundEffort::kThorough);

// The same, and the granularity that the bound comes from, with a width of 0 if there is none: the
// first to try for a step that takes no more.
struct LeastStep {
  double latency = 0;
  Granularity granularity;
  std::vector<std::int64_t> order;  // of the tiles, which takes no more; empty if none is known
};
LeastStep leastStep(const Subgraph& subgraph, const StepContext& context, DepthReading depth,
                    std::int64_t extraResident = 0, const std::function<bool()>& stop = {},
                    BoundEffort effort = BoundEffort::kThorough);

// Which granularities to look at, of all there are.
enum class TileLengths : std::uint8_t {
  kShortest,  // of the lengths that cut an axis in as many tiles
  kAll
};

// Calls `visit` with each granularity whose bound is below `below`, coarse tiles first, and goes on
// with what it returns as the new `below`: if that is the latency of the best known form, all that
// could be better are visited. At most `most` granularities are looked at. Bounds are quick ones.
void visitPromising(const Subgraph& subgraph, const StepContext& context, DepthReading depth,
                    std::int64_t extraResident, TileLengths lengths, double below,
                    std::int64_t most, const std::function<double(const Granularity&)>& visit);

// A quick bound, likewise for all granularities, that leaves the capacity out of account.
double stepFloor(const Subgraph& subgraph, const StepContext& context, DepthReading depth);

}  // namespace tilebeam
