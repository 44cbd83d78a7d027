#include "tilebeam/step_bound.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <vector>

#include "coincidence.h"
#include "step_profile.h"

namespace tilebeam {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Tiles of one size: full or clipped along each axis.
struct TileSize {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  double count = 0;
};

// The area of a set of slices as a function of the tile's size.
struct SliceArea {
  std::int64_t fixed = 0;
  std::int64_t perRow = 0;
  std::int64_t perColumn = 0;

  void add(std::int64_t f, std::int64_t r, std::int64_t c) {
    fixed += f;
    perRow += r;
    perColumn += c;
  }
  std::int64_t at(const TileSize& t) const {
    return fixed + perRow * t.rows + perColumn * t.columns;
  }
};

// What one tile takes, by what has changed since the tile before.
struct TileTime {
  double newRow = 0;     // only its rows: slices along its columns may be there still
  double newColumn = 0;  // only its columns
  double first = 0;      // nothing is there
};

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
      : subgraph_(subgraph), profile_(subgraph, context, depth), hardware_(profile_.hardware) {
    capacity_ = hardware_.fastMemoryCapacity - extraResident - profile_.residentArea;
    deepest_ =
        subgraph.hasMatMul() ? std::min(hardware_.nativeDepth(), subgraph.minReduction()) : 1;
    for (const RootWork& root : profile_.demands.roots) {
      group(root.reduction).perElement += root.costPerElement;
    }
    addDemands();
    for (const ReductionGroup& g : groups_) addFloors(g);
    addMixedStrips();
  }

  double run() {
    const std::int64_t gridArea = profile_.gridWidth * profile_.gridHeight;
    if (profile_.retainedCount * gridArea > capacity_) return kInfinity;
    const std::int64_t widest = std::min(hardware_.nativeWidth, profile_.gridWidth);
    const std::int64_t tallest = std::min(hardware_.nativeHeight, profile_.gridHeight);
    for (std::int64_t w = widest; w >= 1; --w) {
      for (std::int64_t h = tallest; h >= 1; --h) {
        const double floor = floorOf(w, h);
        if (floor < best_) tryDepths(w, h);
        // Fewer rows to a tile only make more of them.
        if (floor >= best_) break;
      }
    }
    return best_;
  }

 private:
  // Tensors demanded over rectangles of two kinds, which may coincide, are left out at first: of
  // their slices, one area over the whole step remains; of their strips, nothing.
  void addDemands() {
    const auto& all = profile_.demands.demands;
    for (std::size_t i = 0; i < all.size();) {
      const std::size_t end = endOfTensor(i);
      const Demand& d = all[i];
      if (end == i + 1) {
        d.lastStepOnly ? void(++tileSlices_) : addDemand(group(d.reduction), d, 1, hardware_);
      } else if (d.kind == DemandKind::kSlice) {
        mixedArea_ += static_cast<double>(d.width) * static_cast<double>(d.height);
      }
      i = end;
    }
  }

  // Demands of one tensor stand together.
  std::size_t endOfTensor(std::size_t i) const {
    const auto& all = profile_.demands.demands;
    std::size_t end = i + 1;
    while (end < all.size() && all[end].tensor == all[i].tensor) ++end;
    return end;
  }

  // A root's strips beside tiles of Pointwise ops, where the two may coincide: the strips count,
  // but for the first of a tile, which the tile before may have held.
  void addMixedStrips() {
    const auto& all = profile_.demands.demands;
    for (std::size_t i = 0; i < all.size();) {
      const std::size_t end = endOfTensor(i);
      const Demand* strip = nullptr;
      bool simple = end > i + 1;
      for (std::size_t j = i; j < end; ++j) {
        if (all[j].lastStepOnly) continue;
        simple = simple && strip == nullptr && all[j].kind == DemandKind::kSlice;
        strip = &all[j];
      }
      i = end;
      if (!simple || strip == nullptr) continue;
      const bool left = strip->rows == Extent::kTile && strip->columns == Extent::kStep;
      const bool right = strip->rows == Extent::kStep && strip->columns == Extent::kTile;
      if (!left && !right) continue;
      addDemand(group(strip->reduction), *strip, 1, hardware_);
      ++(left ? perhapsHeld_[kRows] : perhapsHeld_[kColumns]);
    }
  }

  ReductionGroup& group(std::int64_t reduction) {
    for (ReductionGroup& g : groups_) {
      if (g.reduction == reduction) return g;
    }
    groups_.push_back({});
    groups_.back().reduction = reduction;
    return groups_.back();
  }

  // What a tile computes, and the slices that every tile loads again, whatever k.
  void addFloors(const ReductionGroup& g) {
    const std::int64_t steps = ceilDiv(g.reduction, deepest_);
    tileCompute_ += g.perElement * static_cast<double>(g.reduction) +
                    g.fixed * static_cast<double>(steps) +
                    g.perRowTile * static_cast<double>(steps);
    if (steps < 2) return;
    reloads_.add(g.stepLength * g.reduction, g.step[kRows] * g.reduction,
                 g.step[kColumns] * g.reduction);
  }

  // No granularity with tiles of w by h, or smaller ones, takes less.
  double floorOf(std::int64_t w, std::int64_t h) const {
    const auto columns = static_cast<double>(ceilDiv(profile_.gridWidth, w));
    const auto rows = static_cast<double>(ceilDiv(profile_.gridHeight, h));
    const double tileWork = profile_.pointwiseCost + tileCompute_;
    const double loads =
        static_cast<double>(reloads_.fixed) * columns * rows +
        static_cast<double>(reloads_.perRow) * static_cast<double>(profile_.gridHeight) * columns +
        static_cast<double>(reloads_.perColumn) * static_cast<double>(profile_.gridWidth) * rows;
    return std::max(tileWork * columns * rows, (loads + moved()) / hardware_.slowMemoryBandwidth);
  }

  // Tile-wise traffic and mixed tensors.
  double moved() const {
    return mixedArea_ + static_cast<double>(tileSlices_ + profile_.storedCount) *
                            static_cast<double>(profile_.gridWidth) *
                            static_cast<double>(profile_.gridHeight);
  }

  void tryDepths(std::int64_t w, std::int64_t h) {
    for (std::int64_t k = deepest_; k >= 1; --k) {
      // A tile as wide as the grid stands for any w up to native.
      if (subgraph_.prologueWidth(k) > (w == profile_.gridWidth ? hardware_.nativeWidth : w)) {
        continue;
      }
      if (subgraph_.prologueHeight(k) > (h == profile_.gridHeight ? hardware_.nativeHeight : h)) {
        continue;
      }
      setTiles(w, h);
      best_ = std::min(best_, bestOf({w, h, k}));
    }
  }

  double bestOf(const Granularity& g) {
    if (profile_.mixed()) {
      if (const auto distinct = separate(profile_, g, OnSingleTiles::kGiveUp)) {
        counted_ = {{distinct->groups.data(), distinct->groupCount}, distinct->tileSlices, {}};
        return latency(g.depth);
      }
    }
    counted_ = {groups_, tileSlices_, perhapsHeld_};
    return latency(g.depth);
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

  // Infinite if it does not fit.
  double latency(std::int64_t k) const {
    double sum = 0;
    double firstTile = kInfinity;
    double columnExtra = kInfinity;  // what a tile takes more if its column is new
    double rowExtra = kInfinity;
    for (const TileSize& t : tiles_) {
      if (t.count == 0) continue;
      TileTime time;
      if (!timeOf(t, k, time)) return kInfinity;
      const double least = std::min(time.newRow, time.newColumn);
      sum += least * t.count;
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
  std::vector<ReductionGroup> groups_;
  std::int64_t tileSlices_ = 0;
  std::array<std::int64_t, 2> perhapsHeld_{};
  Counted counted_;
  std::int64_t capacity_ = 0;  // beside all that is carried in
  std::int64_t deepest_ = 1;
  double tileCompute_ = 0;
  double mixedArea_ = 0;
  SliceArea reloads_;
  std::int64_t columns_ = 0;
  std::int64_t rows_ = 0;
  std::array<TileSize, 4> tiles_;
  double best_ = kInfinity;
};

}  // namespace

double stepLowerBound(const Subgraph& subgraph, const StepContext& context, DepthReading depth,
                      std::int64_t extraResident) {
  return StepBound(subgraph, context, depth, extraResident).run();
}

}  // namespace tilebeam
