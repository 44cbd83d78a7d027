#include "cli/larger_tiles.h"

#include "simulator/ceil_div.h"

namespace tilebeam::cli {
namespace {

// The least length that cuts `extent` in fewer parts than `length` does; 0 if it is in one part.
std::int64_t nextLength(std::int64_t extent, std::int64_t length) {
  const std::int64_t parts = ceilDiv(extent, length);
  return parts > 1 ? ceilDiv(extent, parts - 1) : 0;
}

struct Axis {
  char name;
  std::int64_t Granularity::*value;
  std::int64_t extent;
  const char* inOnePart;
};

void simulate(LargerTile& tile, const CollapsedSimulator& simulator, const Granularity& g,
              std::int64_t capacity) {
  bool first = true;
  for (const TraversalKind kind : kNamedTraversals) {
    const StepCost cost = simulator.cost(g, kind);
    const bool fits = cost.peakFastMemory <= capacity;
    // What fits beats what does not; then the faster of two, or the smaller if neither fits.
    const bool better = fits != tile.fits ? fits
                        : fits            ? cost.latency < tile.cost.latency
                                          : cost.peakFastMemory < tile.cost.peakFastMemory;
    if (!first && !better) continue;
    first = false;
    tile.cost = cost;
    tile.fits = fits;
    tile.traversal = kind;
  }
}

}  // namespace

std::vector<LargerTile> tryLargerTiles(const Subgraph& subgraph, const Granularity& granularity,
                                       const StepContext& context, DepthReading depth) {
  const CollapsedSimulator simulator(subgraph, context, depth);
  const std::int64_t capacity = subgraph.problem().hardware().fastMemoryCapacity;
  std::vector<Axis> axes{{'w', &Granularity::width, subgraph.gridWidth(), "spans the grid"},
                         {'h', &Granularity::height, subgraph.gridHeight(), "spans the grid"}};
  if (subgraph.maxRootReduction() > 0) {
    axes.push_back({'k', &Granularity::depth, subgraph.maxRootReduction(), "is not split"});
  }
  std::vector<LargerTile> tiles;
  for (const Axis& axis : axes) {
    LargerTile& tile = tiles.emplace_back();
    tile.axis = axis.name;
    tile.from = granularity.*axis.value;
    tile.to = nextLength(axis.extent, tile.from);
    if (tile.to == 0) {
      tile.barred = axis.inOnePart;
      continue;
    }
    Granularity larger = granularity;
    larger.*axis.value = tile.to;
    if (const auto broken = checkGranularity(subgraph, larger)) {
      tile.barred = "cost model 3." + std::to_string(broken->rule) + ": " + broken->message;
      continue;
    }
    simulate(tile, simulator, larger, capacity);
  }
  return tiles;
}

}  // namespace tilebeam::cli
