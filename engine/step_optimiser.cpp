#include "engine/step_optimiser.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "simulator/ceil_div.h"
#include "tilebeam/step_bound.h"

namespace tilebeam {
namespace {

// The least tile length that cuts `extent` in `count` tiles or fewer.
std::int64_t tileLength(std::int64_t extent, std::int64_t count) { return ceilDiv(extent, count); }

// Tile counts worth a first look along one axis: the fewest, and from there in growing strides down
// to single elements.
std::vector<std::int64_t> tileCounts(std::int64_t extent, std::int64_t native) {
  constexpr std::int64_t kShort = 24;  // of such an axis every count is looked at
  std::vector<std::int64_t> counts;
  for (std::int64_t count = ceilDiv(extent, native); count < extent;
       count = extent <= kShort ? count + 1 : std::max(count + 1, count * 3 / 2)) {
    counts.push_back(ceilDiv(extent, tileLength(extent, count)));
  }
  counts.push_back(extent);
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  return counts;
}

// Where a function that falls and then rises is least; `low` if it is above `high`.
template <class Function>
std::int64_t leastBetween(std::int64_t low, std::int64_t high, const Function& value) {
  while (high > low) {
    const std::int64_t middle = low + (high - low) / 2;
    if (value(middle) <= value(middle + 1)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

// Native, or native halved some times.
bool isCoarse(std::int64_t length, std::int64_t native) {
  while (native > length && native % 2 == 0) native /= 2;
  return native == length;
}

// Elements of a grid so small that its search may as well go by exact costs throughout.
constexpr std::int64_t kSmallGrid = 4096;

// Snakes are written out tile by tile in a schedule; beyond so many tiles raster must do.
constexpr std::int64_t kMostListedTiles = std::int64_t{1} << 16;

constexpr double kExact = 1 + 1e-12;

}  // namespace

BestStep StepOptimiser::optimise(const Subgraph& subgraph, const StepContext& context,
                                 DepthReading depth, std::int64_t extraResident, double limit) {
  const CollapsedSimulator simulator(subgraph, context, depth);
  subgraph_ = &subgraph;
  simulator_ = &simulator;
  hardware_ = subgraph.problem().hardware();
  capacity_ = hardware_.fastMemoryCapacity - extraResident;
  retains_ = !context.retained.empty();
  deepest_ = subgraph.hasMatMul() ? std::min(hardware_.nativeDepth(), subgraph.minReduction()) : 1;
  floors_ = simulator.tileFloors(deepest_);
  smallGrid_ = subgraph.gridWidth() * subgraph.gridHeight() <= kSmallGrid;
  exact_ = simulator.quickIsExact() || smallGrid_;
  best_ = BestStep{};
  tried_.clear();
  if (simulator.peakFloor() > capacity_) return best_;
  best_.latency = limit;
  searchGrid();
  if (!found() && !exact_) {
    // Only what counts twice may have been too much.
    exact_ = true;
    tried_.clear();
    searchGrid();
  }
  if (!found()) return {};
  tryFewestThatFit(1);  // takes the least space, if any does
  if (deepest_ > 1) tryFewestThatFit(deepest_);
  refine();
  if (!exact_) scoreExactly();
  tryPromising(context, depth, extraResident, limit);
  preferRaster();
  for (const TraversalKind kind : kNamedTraversals) tryCorners(best_.granularity, kind);
  return best_;
}

// What the search by tile counts has missed, as lower bounds tell.
void StepOptimiser::tryPromising(const StepContext& context, DepthReading depth,
                                 std::int64_t extraResident, double limit) {
  // A schedule's own steps get more (PlanTuner).
  constexpr std::int64_t kMost = 256;
  // Of these, how many are scored where rectangles may meet on single tiles of a grid that is not
  // small, which takes long.
  constexpr int kMostWalked = 8;
  // Dearer steps hardly come into schedules.
  constexpr double kUseful = 0.6;
  if (without_.contains(Feature::kFineTiles) || best_.latency <= floor_ * kExact) return;
  if (best_.latency > kUseful * limit) return;
  int walked = 0;
  visitPromising(*subgraph_, context, depth, extraResident, TileLengths::kShortest,
                 best_.latency * kWorthwhile, kMost, [&](const Granularity& g) {
                   constexpr double kNone = 0;
                   if (!simulator_->quickIsExact() && !smallGrid_ && ++walked > kMostWalked) {
                     return kNone;
                   }
                   tryOrders(g);
                   return best_.latency * kWorthwhile;
                 });
}

// The search went by upper bounds, where they are quicker. What it found is scored exactly, in each
// order: which slices of a tensor coincide hangs on it. From here on it goes by exact costs.
void StepOptimiser::scoreExactly() {
  exact_ = true;
  best_.latency = std::numeric_limits<double>::infinity();
  tryOrders(Granularity(best_.granularity));
}

void StepOptimiser::tryOrders(const Granularity& g) {
  evaluate(g, TraversalKind::kRaster);
  if (!maySnake(g)) return;
  evaluate(g, TraversalKind::kRowSnake);
  evaluate(g, TraversalKind::kColumnSnake);
  // Where nothing meets on single tiles, snakes load no more.
  if (!simulator_->quickIsExact()) evaluate(g, TraversalKind::kColumnRaster);
}

StepCost StepOptimiser::costOf(const Granularity& g, TraversalKind kind) const {
  return exact_ ? simulator_->cost(g, kind) : simulator_->quickCost(g, kind);
}

// Told at once. Most of what does not fit is so far from it that its exact cost, which may take
// long, need not be known.
bool StepOptimiser::isFarTooLarge(const Granularity& g, TraversalKind kind) const {
  return exact_ && simulator_->leastPeak(g, kind) > capacity_;
}

// Coarse to fine: few tiles first, since compute and reloads are charged by the tile.
void StepOptimiser::searchGrid() {
  const std::vector<std::int64_t> columns =
      tileCounts(subgraph_->gridWidth(), hardware_.nativeWidth);
  const std::vector<std::int64_t> rows =
      tileCounts(subgraph_->gridHeight(), hardware_.nativeHeight);
  floor_ = floors_.at(columns.front(), rows.front());
  // Diagonals of the table of counts, so that both axes are cut about evenly often.
  for (std::size_t sum = 0; sum + 2 <= columns.size() + rows.size(); ++sum) {
    bool open = false;
    for (std::size_t i = 0; i < columns.size() && i <= sum; ++i) {
      const std::size_t j = sum - i;
      if (j >= rows.size()) continue;
      open = open || floors_.at(columns[i], rows[j]) < best_.latency;
      tryTiles(columns[i], rows[j]);
      if (best_.latency <= floor_ * kExact) return;
    }
    if (!open) return;
  }
}

// Where memory is tight the best cut is often the coarsest that fits, which may lie between the
// counts of the first look: along each axis for each small count along the other, k given.
void StepOptimiser::tryFewestThatFit(std::int64_t k) {
  constexpr std::int64_t kSmall = 8;
  const std::int64_t width = subgraph_->gridWidth();
  const std::int64_t height = subgraph_->gridHeight();
  const std::int64_t columns = ceilDiv(width, hardware_.nativeWidth);
  const std::int64_t rows = ceilDiv(height, hardware_.nativeHeight);
  for (std::int64_t c = columns; c <= std::min(kSmall, width); ++c) {
    const std::int64_t r =
        fewestThatFit(rows, height, k, [&](std::int64_t x) { return std::pair(c, x); });
    if (r > 0) tryTiles(c, r);
  }
  for (std::int64_t r = rows; r <= std::min(kSmall, height); ++r) {
    const std::int64_t c =
        fewestThatFit(columns, width, k, [&](std::int64_t x) { return std::pair(x, r); });
    if (c > 0) tryTiles(c, r);
  }
}

// Of the counts in [low, high] that could be for the better; 0 if none fits. `tiles` gives columns
// and rows.
template <class Tiles>
std::int64_t StepOptimiser::fewestThatFit(std::int64_t low, std::int64_t high, std::int64_t k,
                                          const Tiles& tiles) {
  const auto first = [](std::int64_t from, std::int64_t to, const auto& holds) {
    while (from < to) {
      const std::int64_t middle = from + (to - from) / 2;
      if (holds(middle)) {
        to = middle;
      } else {
        from = middle + 1;
      }
    }
    return from;
  };
  const std::int64_t end = first(low, high + 1, [&](std::int64_t count) {
    const auto [columns, rows] = tiles(count);
    return floors_.at(columns, rows) >= best_.latency;
  });
  const auto fitsAt = [&](std::int64_t count) {
    const auto [columns, rows] = tiles(count);
    return fits({std::max(tileLength(subgraph_->gridWidth(), columns), subgraph_->prologueWidth(k)),
                 std::max(tileLength(subgraph_->gridHeight(), rows), subgraph_->prologueHeight(k)),
                 k});
  };
  if (end == low || fitsAt(low) || !fitsAt(end - 1)) return 0;
  return first(low, end - 1, fitsAt);
}

// From the best so far, one tile count up or down along either axis, while that helps.
void StepOptimiser::refine() {
  for (int round = 0; round < 64 && best_.latency > floor_ * kExact; ++round) {
    const double before = best_.latency;
    const std::int64_t columns = ceilDiv(subgraph_->gridWidth(), best_.granularity.width);
    const std::int64_t rows = ceilDiv(subgraph_->gridHeight(), best_.granularity.height);
    for (const std::int64_t dc : {0, -1, 1}) {
      for (const std::int64_t dr : {0, -1, 1}) {
        if (dc != 0 || dr != 0) tryTiles(columns + dc, rows + dr);
      }
    }
    const Granularity g = best_.granularity;
    if (subgraph_->hasMatMul()) {
      for (const std::int64_t dk : {-4, -2, -1, 1, 2, 4}) tryDepth(g.width, g.height, g.depth + dk);
    }
    if (best_.latency >= before) return;
  }
}

void StepOptimiser::tryTiles(std::int64_t columns, std::int64_t rows) {
  const std::int64_t width = subgraph_->gridWidth();
  const std::int64_t height = subgraph_->gridHeight();
  if (columns < 1 || rows < 1 || columns > width || rows > height) return;
  if (floors_.at(columns, rows) >= best_.latency) return;
  const std::int64_t w = tileLength(width, columns);
  const std::int64_t h = tileLength(height, rows);
  tryTile(w, h);
  if (retains_) tryClipped(w, h, columns, rows);
}

// What retained tensors have received by the last tiles hangs on how short the clipped ones are:
// the longest tiles of that count leave the least there, and take the most space before.
void StepOptimiser::tryClipped(std::int64_t w, std::int64_t h, std::int64_t columns,
                               std::int64_t rows) {
  const auto longest = [](std::int64_t extent, std::int64_t count, std::int64_t native) {
    return count > 1 ? std::min(ceilDiv(extent, count - 1) - 1, native) : 0;
  };
  const std::int64_t longW = longest(subgraph_->gridWidth(), columns, hardware_.nativeWidth);
  const std::int64_t longH = longest(subgraph_->gridHeight(), rows, hardware_.nativeHeight);
  tryTile(std::max(w, longW), h);
  tryTile(w, std::max(h, longH));
  const auto peak = [this](std::int64_t tileW, std::int64_t tileH) {
    ++evaluations_;
    constexpr std::int64_t k = 1;  // takes the least space, if any does
    return costOf({tileW, tileH, k}, TraversalKind::kRaster).peakFastMemory;
  };
  if (peak(w, h) <= capacity_) return;
  tryTile(leastBetween(w, longW, [&](std::int64_t x) { return peak(x, h); }), h);
  tryTile(w, leastBetween(h, longH, [&](std::int64_t y) { return peak(w, y); }));
}

void StepOptimiser::tryTile(std::int64_t w, std::int64_t h) {
  if (w > hardware_.nativeWidth || h > hardware_.nativeHeight) return;
  if (without_.contains(Feature::kFineTiles) &&
      !(isCoarse(w, hardware_.nativeWidth) && isCoarse(h, hardware_.nativeHeight))) {
    return;
  }
  // A tile never exceeds the grid, so a prologue that demands more width costs nothing: w may be
  // larger than the grid.
  const std::uint64_t key = static_cast<std::uint64_t>(w) << 32 ^ static_cast<std::uint64_t>(h);
  if (std::find(tried_.begin(), tried_.end(), key) != tried_.end()) return;
  tried_.push_back(key);
  if (!subgraph_->hasMatMul()) {
    tryDepth(w, h, 1);
  } else {
    tryDepths(w, h);
  }
}

// For a tile, the reduction steps worth trying: unsplit, the deepest that fits, the most even one
// with as many k-steps, and between them (the last k-step also stores, so its length matters), then
// the same for twice and four times as many k-steps.
void StepOptimiser::tryDepths(std::int64_t w, std::int64_t h) {
  const std::int64_t reduction = subgraph_->maxRootReduction();
  tryDepth(w, h, deepest_);
  const std::int64_t deepest = deepestThatFits(w, h, 1, deepest_);
  if (deepest == 0) return;
  const std::int64_t steps = ceilDiv(reduction, deepest);
  const std::int64_t even = ceilDiv(reduction, steps);
  tryDepth(w, h, deepest);
  tryDepth(w, h, even);
  if (best_.latency <= floor_ * kExact) return;
  tryDepth(w, h, even + (deepest - even) / 3);
  tryDepth(w, h, even + (deepest - even) * 2 / 3);
  tryDepth(w, h, ceilDiv(reduction, steps + 1));
  tryDepth(w, h, ceilDiv(reduction, steps * 2));
  tryDepth(w, h, ceilDiv(reduction, steps * 4));
}

// Of one row or column of tiles all orders named are the same.
bool StepOptimiser::maySnake(const Granularity& g) const {
  const std::int64_t columns = ceilDiv(subgraph_->gridWidth(), g.width);
  const std::int64_t rows = ceilDiv(subgraph_->gridHeight(), g.height);
  return columns > 1 && rows > 1 && columns <= kMostListedTiles / rows &&
         !without_.contains(Feature::kSnakes);
}

void StepOptimiser::tryDepth(std::int64_t w, std::int64_t h, std::int64_t k) {
  if (k < 1 || k > deepest_) return;
  const Granularity g{std::max(w, subgraph_->prologueWidth(k)),
                      std::max(h, subgraph_->prologueHeight(k)), k};
  if (g.width > hardware_.nativeWidth || g.height > hardware_.nativeHeight) return;
  if (!maySnake(g)) {
    evaluate(g, TraversalKind::kRaster);
    return;
  }
  // The two snakes reuse different strips; where one is far off, so is the other, as a rule.
  constexpr double kNear = 1.5;
  const double latency = evaluate(g, TraversalKind::kRowSnake);
  // What is retained piles up tile by tile, so that clipped tiles fit in one order and not in
  // another.
  const bool all = smallGrid_ || (retains_ && std::isinf(latency));
  if (all || latency < kNear * best_.latency) evaluate(g, TraversalKind::kColumnSnake);
  if (all) evaluate(g, TraversalKind::kRaster);
  if (exact_ && !simulator_->quickIsExact()) evaluate(g, TraversalKind::kColumnRaster);
}

bool StepOptimiser::fits(const Granularity& g) {
  ++evaluations_;
  return !isFarTooLarge(g, TraversalKind::kRaster) &&
         costOf(g, TraversalKind::kRaster).peakFastMemory <= capacity_;
}

// The largest k in [low, high] whose working set fits, 0 if none does. The working set grows with k
// while the reduction stays split.
std::int64_t StepOptimiser::deepestThatFits(std::int64_t w, std::int64_t h, std::int64_t low,
                                            std::int64_t high) {
  const auto fitsAt = [&](std::int64_t k) {
    return fits(
        {std::max(w, subgraph_->prologueWidth(k)), std::max(h, subgraph_->prologueHeight(k)), k});
  };
  if (fitsAt(high)) return high;
  if (!fitsAt(low)) return 0;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (fitsAt(middle) ? low : high) = middle;
  }
  return low;
}

// The latency, infinite if the step does not fit.
double StepOptimiser::evaluate(const Granularity& g, TraversalKind kind) {
  ++evaluations_;
  if (isFarTooLarge(g, kind)) return std::numeric_limits<double>::infinity();
  const StepCost cost = costOf(g, kind);
  if (cost.peakFastMemory > capacity_) return std::numeric_limits<double>::infinity();
  if (cost.latency < best_.latency) best_ = {cost.latency, g, kind, {}};
  if (smallGrid_) tryCorners(g, kind);
  return cost.latency;
}

// Without clipped tiles all corners are alike.
void StepOptimiser::tryCorners(const Granularity& g, TraversalKind kind) {
  const std::int64_t columns = ceilDiv(subgraph_->gridWidth(), g.width);
  const std::int64_t rows = ceilDiv(subgraph_->gridHeight(), g.height);
  if (columns > kMostTilesForCorners / rows || without_.contains(Feature::kSnakes)) return;
  const bool shortColumn = columns > 1 && subgraph_->gridWidth() % g.width != 0;
  const bool shortRow = rows > 1 && subgraph_->gridHeight() % g.height != 0;
  for (const StartCorner start : {StartCorner{true, false}, {false, true}, {true, true}}) {
    if ((start.lastRow && !shortRow) || (start.lastColumn && !shortColumn)) continue;
    ++evaluations_;
    const StepCost cost = simulator_->cost(g, kind, start);
    if (cost.peakFastMemory > capacity_ || cost.latency * kExact >= best_.latency) continue;
    best_ = {cost.latency, g, kind, start};
  }
}

// Raster needs no list of tiles in the schedule, so it wins where it is as good.
void StepOptimiser::preferRaster() {
  if (best_.traversal == TraversalKind::kRaster && best_.start.isFirstTile()) return;
  ++evaluations_;
  const StepCost cost = costOf(best_.granularity, TraversalKind::kRaster);
  if (cost.latency <= best_.latency && cost.peakFastMemory <= capacity_) {
    best_.latency = cost.latency;
    best_.traversal = TraversalKind::kRaster;
    best_.start = {};
  }
}

}  // namespace tilebeam
