#include "tilebeam/step_bound.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <span>
#include <utility>

#include "coincidence.h"
#include "step_profile.h"
#include "step_sums.h"
#include "tilewise_bound.h"

namespace tilebeam {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// As many granularities as native sizes of 256 by 256, and k to 256, allow; one or two seconds.
constexpr std::int64_t kMostGranularities = std::int64_t{1} << 24;

// Iterations that are looked at one by one; some tenth of a second.
constexpr double kMostEffort = 1 << 18;

// The demands that are counted, as the class sums want them.
struct Counted {
  std::span<const ReductionGroup> groups;
  std::int64_t tileSlices = 0;
  // Strips over tile and k-step, along rows and columns, that may be there when a tile begins.
  std::array<std::int64_t, 2> perhapsHeld{};
};

class StepBound {
 public:
  StepBound(const Subgraph& subgraph, const StepContext& context, DepthReading depth,
            std::int64_t extraResident)
      : subgraph_(subgraph),
        profile_(subgraph, context, depth),
        hardware_(profile_.hardware),
        sums_(profile_) {
    capacity_ = hardware_.fastMemoryCapacity - extraResident - profile_.residentArea;
    deepest_ =
        subgraph.hasMatMul() ? std::min(hardware_.nativeDepth(), subgraph.minReduction()) : 1;
    floors_ = floorsOf(profile_, sums_, deepest_);
  }

  double floor() const {
    return floorOf(std::min(hardware_.nativeWidth, profile_.gridWidth),
                   std::min(hardware_.nativeHeight, profile_.gridHeight));
  }

  double run(const std::function<bool()>& stop) {
    stop_ = &stop;
    const std::int64_t gridArea = profile_.gridWidth * profile_.gridHeight;
    if (profile_.retainedCount * gridArea > capacity_) return kInfinity;
    const std::int64_t widest = std::min(hardware_.nativeWidth, profile_.gridWidth);
    const std::int64_t tallest = std::min(hardware_.nativeHeight, profile_.gridHeight);
    for (std::int64_t w = widest; w >= 1; --w) {
      // Shorter tiles only make more of them.
      const double least = floorOf(w, tallest);
      if (least >= best_) break;
      for (std::int64_t h = tallest; h >= 1 && !exhausted(); --h) {
        const double floor = floorOf(w, h);
        if (floor < best_) tryDepths(w, h);
        if (floor >= best_) break;
      }
      if (exhausted()) return std::min(best_, least);
    }
    return best_;
  }

 private:
  const SplitTotals& splitTotals() const {
    return rows_ > 1 && columns_ > 1 ? sums_.severalTiles : sums_.anyTiles;
  }

  // No granularity with tiles of w by h, or smaller ones, takes less.
  double floorOf(std::int64_t w, std::int64_t h) const {
    return floors_.at(ceilDiv(profile_.gridWidth, w), ceilDiv(profile_.gridHeight, h));
  }

  void tryDepths(std::int64_t w, std::int64_t h) {
    setTiles(w, h);
    tryDepth({w, h, deepest_});
    if (deepest_ == 1 || splitLatency() >= best_) return;
    const std::int64_t deepest = std::min(deepest_ - 1, deepestFitting());
    for (std::int64_t k = deepest; k >= 1 && !exhausted(); --k) tryDepth({w, h, k});
  }

  bool exhausted() const { return tried_ > kMostGranularities; }

  void countTry() {
    constexpr std::int64_t kBetweenLooks = 4096;
    if (++tried_ % kBetweenLooks == 0 && *stop_ && (*stop_)()) tried_ = kMostGranularities + 1;
  }

  void tryDepth(const Granularity& g) {
    countTry();
    // A tile as wide as the grid stands for any w up to native.
    const bool anyWidth = g.width == profile_.gridWidth;
    const bool anyHeight = g.height == profile_.gridHeight;
    if (subgraph_.prologueWidth(g.depth) > (anyWidth ? hardware_.nativeWidth : g.width)) return;
    if (subgraph_.prologueHeight(g.depth) > (anyHeight ? hardware_.nativeHeight : g.height)) return;
    best_ = std::min(best_, bestOf(g));
  }

  // No deeper k, short of the deepest, leaves room for a full tile's first iteration. All groups
  // are active there, over k elements, and every root has its accumulator.
  std::int64_t deepestFitting() const {
    const TileSize& tile = largestTile();
    const std::int64_t perStep = splitTotals().perStep.at(tile);
    const std::int64_t room =
        capacity_ - splitTotals().full.at(tile) - roots() * tile.rows * tile.columns;
    return perStep > 0 ? room / perStep : deepest_;
  }

  std::int64_t roots() const { return static_cast<std::int64_t>(profile_.rootReductions.size()); }

  const TileSize& largestTile() const {
    return *std::find_if(tiles_.begin(), tiles_.end(),
                         [](const TileSize& t) { return t.count > 0; });
  }

  double bestOf(const Granularity& g) {
    counted_ = {sums_.groups, sums_.tileSlices, sums_.perhapsHeld};
    double least = latency(g.depth, best_);
    if (!profile_.mixed() || least >= best_) return least;
    const auto distinct = separate(profile_, g, OnSingleTiles::kCountBoth);
    if (distinct) {
      counted_ = {{distinct->groups.data(), distinct->groupCount}, distinct->tileSlices, {}};
      if (distinct->kept == 0) return std::max(least, latency(g.depth, best_));
      least = std::max(least, bothCounted(g, distinct->kept));
    }
    if (least >= best_) return least;
    const double effort = tilewiseEffort(profile_, g);
    if (effort > effortLeft_) return least;
    effortLeft_ -= effort;
    return std::max(least, tilewiseBound(profile_, g, capacity_, best_));
  }

  // Both of the pairs `kept`, less what can have been loaded once only.
  double bothCounted(const Granularity& g, std::uint64_t kept) {
    const auto saved = savedOnSingleTiles(profile_, g, kept);
    if (!saved) return 0;
    // Not all iterations hold both, so it may fit where this sum does not.
    const std::int64_t capacity =
        std::exchange(capacity_, std::numeric_limits<std::int64_t>::max());
    const double gain = static_cast<double>(*saved) / hardware_.slowMemoryBandwidth;
    const double both = latency(g.depth, best_ + gain);
    capacity_ = capacity;
    return both - gain;
  }

  void setTiles(std::int64_t w, std::int64_t h) {
    columns_ = ceilDiv(profile_.gridWidth, w);
    rows_ = ceilDiv(profile_.gridHeight, h);
    const std::int64_t lastWidth = profile_.gridWidth - (columns_ - 1) * w;
    const std::int64_t lastHeight = profile_.gridHeight - (rows_ - 1) * h;
    const auto c = static_cast<double>(columns_ - 1);
    const auto r = static_cast<double>(rows_ - 1);
    tiles_ = {TileSize{h, w, r * c}, TileSize{h, lastWidth, r}, TileSize{lastHeight, w, c},
              TileSize{lastHeight, lastWidth, 1}};
  }

  // Infinite if it does not fit; may be too low where it reaches `cutoff`.
  double latency(std::int64_t k, double cutoff) const {
    return latencyOf([&](const TileSize& tile, TileTime& time) { return timeOf(tile, k, time); },
                     cutoff);
  }

  // Of any k short of the deepest, which splits every root's reduction: no strip that the k-steps
  // divide outlives its tile, and a tile takes at least all its compute, and all its traffic.
  double splitLatency() {
    const SplitTotals& totals = splitTotals();
    return latencyOf(
        [&](const TileSize& tile, TileTime& time) {
          if (!splitFits(totals, tile)) return false;
          const std::int64_t area = tile.rows * tile.columns;
          const std::int64_t held = deepest_ * (totals.perhapsHeld[kRows] * tile.rows +
                                                totals.perhapsHeld[kColumns] * tile.columns);
          const std::int64_t always =
              totals.split.at(tile) - held + (sums_.tileSlices + profile_.storedCount) * area;
          const auto takes = [&](std::int64_t loads) {
            return std::max(floors_.work,
                            static_cast<double>(loads) / hardware_.slowMemoryBandwidth);
          };
          time.newRow = takes(always + totals.full.perRow * tile.rows);
          time.newColumn = takes(always + totals.full.perColumn * tile.columns);
          time.first = takes(always + totals.full.at(tile));
          return true;
        },
        best_);
  }

  // The first and last iteration, at their least: over one element of the reduction.
  bool splitFits(const SplitTotals& totals, const TileSize& tile) const {
    const std::int64_t area = tile.rows * tile.columns;
    const std::int64_t outputs = profile_.storedCount + profile_.retainedCount;
    return totals.full.at(tile) + totals.perStep.at(tile) + roots() * area <= capacity_ &&
           totals.lastIteration.at(tile) + (sums_.tileSlices + std::max(roots(), outputs)) * area <=
               capacity_;
  }

  template <class TimeOf>
  double latencyOf(const TimeOf& timeOf, double cutoff) const {
    double sum = 0;
    double firstTile = kInfinity;
    double columnExtra = kInfinity;  // what a tile takes more if its column is new
    double rowExtra = kInfinity;
    for (const TileSize& t : tiles_) {
      if (t.count == 0) continue;
      TileTime time;
      if (!timeOf(t, time)) return kInfinity;
      const double least = std::min(time.newRow, time.newColumn);
      sum += least * t.count;
      if (sum >= cutoff) return sum;
      firstTile = std::min(firstTile, time.first - least);
      columnExtra = std::min(columnExtra, time.newColumn - least);
      rowExtra = std::min(rowExtra, time.newRow - least);
    }
    sum += firstTile + columnExtra * static_cast<double>(columns_ - 1) +
           rowExtra * static_cast<double>(rows_ - 1);
    return std::max(sum, floorOf(tiles_[0].columns, tiles_[0].rows));
  }

  bool timeOf(const TileSize& tile, std::int64_t k, TileTime& time) const {
    const std::int64_t kSteps = profile_.kSteps(k);
    std::int64_t begin = 0;
    while (begin < kSteps) {
      const std::int64_t end = segmentEnd(begin, kSteps, k);
      if (!addSegment(tile, k, begin, end, kSteps, time)) return false;
      begin = end;
    }
    return true;
  }

  // K-steps from `begin` on that cost the same: cut after the first, before and after a group's
  // last.
  std::int64_t segmentEnd(std::int64_t begin, std::int64_t kSteps, std::int64_t k) const {
    if (begin == 0) return 1;
    std::int64_t end = kSteps;
    for (const ReductionGroup& g : counted_.groups) {
      const std::int64_t steps = ceilDiv(g.reduction, k);
      if (steps - 1 > begin) end = std::min(end, steps - 1);
      if (steps > begin) end = std::min(end, steps);
    }
    if (kSteps - 1 > begin) end = std::min(end, kSteps - 1);
    return end;
  }

  bool addSegment(const TileSize& tile, std::int64_t k, std::int64_t begin, std::int64_t end,
                  std::int64_t kSteps, TileTime& time) const {
    const bool last = end == kSteps;
    double compute = last ? profile_.pointwiseCost : 0;
    SliceArea set;
    SliceArea fresh;
    SliceArea held;
    for (const ReductionGroup& g : counted_.groups) {
      const std::int64_t t = std::min(k, g.reduction - begin * k);
      if (t <= 0) continue;
      compute += g.fixed + g.perElement * static_cast<double>(t);
      if (g.perRowTile != 0) {
        compute += g.perRowTile * static_cast<double>(ceilDiv(t, hardware_.nativeHeight));
      }
      fresh.add(g.stepLength * t, g.step[kRows] * t, g.step[kColumns] * t);
      set.add(g.fullArea, g.full[kRows], g.full[kColumns]);
      // What outlives a tile must be demanded in its last k-step, over the same range.
      if (ceilDiv(g.reduction, k) != kSteps) continue;
      held.add(g.fullArea, g.full[kRows], g.full[kColumns]);
      if (kSteps == 1) held.add(g.stepLength * t, g.step[kRows] * t, g.step[kColumns] * t);
    }
    set.add(fresh.fixed, fresh.perRow, fresh.perColumn);
    const std::int64_t area = tile.rows * tile.columns;
    const std::int64_t slices = last ? counted_.tileSlices * area : 0;
    const std::int64_t outputs = last ? profile_.storedCount + profile_.retainedCount : 0;
    const std::int64_t demanded = set.at(tile) + slices;
    if (demanded + std::max(profile_.accumulators(k), outputs) * area > capacity_) return false;

    const std::int64_t stores = last ? profile_.storedCount * area : 0;
    const auto takes = [&](std::int64_t loads) {
      return std::max(compute, static_cast<double>(loads + stores) / hardware_.slowMemoryBandwidth);
    };
    if (begin > 0) {
      const double each = takes(fresh.at(tile) + slices) * static_cast<double>(end - begin);
      time.newRow += each;
      time.newColumn += each;
      time.first += each;
      return true;
    }
    held.fixed += k * (counted_.perhapsHeld[kRows] * tile.rows +
                       counted_.perhapsHeld[kColumns] * tile.columns);
    time.newRow += takes(demanded - held.fixed - held.perColumn * tile.columns);
    time.newColumn += takes(demanded - held.fixed - held.perRow * tile.rows);
    time.first += takes(demanded);
    return true;
  }

  const Subgraph& subgraph_;
  const StepProfile profile_;
  const Hardware hardware_;
  const StepSums sums_;
  Counted counted_;
  std::int64_t capacity_ = 0;  // beside all that is carried in
  std::int64_t deepest_ = 1;
  TileFloors floors_;
  std::int64_t columns_ = 0;
  std::int64_t rows_ = 0;
  std::array<TileSize, 4> tiles_;
  const std::function<bool()>* stop_ = nullptr;
  std::int64_t tried_ = 0;
  double effortLeft_ = kMostEffort;
  double best_ = kInfinity;
};

}  // namespace

double stepFloor(const Subgraph& subgraph, const StepContext& context, DepthReading depth) {
  return StepBound(subgraph, context, depth, 0).floor();
}

double stepLowerBound(const Subgraph& subgraph, const StepContext& context, DepthReading depth,
                      std::int64_t extraResident, const std::function<bool()>& stop) {
  return StepBound(subgraph, context, depth, extraResident).run(stop);
}

}  // namespace tilebeam
