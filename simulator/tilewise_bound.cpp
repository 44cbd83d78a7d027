#include "tilewise_bound.h"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "tile_account.h"

namespace tilebeam {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// How a tile follows the one before it: which of its ranges are new.
enum Following : std::size_t { kNewColumn, kNewRow, kBothNew };
constexpr std::size_t kFollowings = 3;

// What one tile takes at least, by how it follows.
using TimeByFollowing = std::array<double, kFollowings>;

class TilewiseBound {
 public:
  TilewiseBound(const StepProfile& profile, const Granularity& g, std::int64_t capacity)
      : profile_(profile),
        capacity_(capacity),
        rows_(profile.gridHeight, g.height),
        columns_(profile.gridWidth, g.width),
        accounts_(profile, g, rows_, columns_),
        demands_(accounts_.demands()),
        rowExtra_(static_cast<std::size_t>(rows_.count), kInfinity),
        columnExtra_(static_cast<std::size_t>(columns_.count), kInfinity) {}

  double run(double cutoff) {
    for (Tile tile; tile.row < rows_.count; ++tile.row) {
      for (tile.column = 0; tile.column < columns_.count; ++tile.column) {
        if (!addTile(tile)) return kInfinity;
        if (sum_ >= cutoff + saved()) return sum_ - saved();
      }
    }
    if (!lastFits_) return kInfinity;
    return sum_ + firstExtra_ + allButOne(rowExtra_) + allButOne(columnExtra_) - saved();
  }

 private:
  // Every line but the first tile's is entered somewhere.
  static double allButOne(const std::vector<double>& extras) {
    double sum = 0;
    for (const double extra : extras) sum += extra;
    return sum - *std::max_element(extras.begin(), extras.end());
  }

  // What the tiles may take less that come after one of the first row or column.
  double saved() const {
    const auto such = static_cast<double>((afterFirstRow_ ? columns_.count : 0) +
                                          (afterFirstColumn_ ? rows_.count : 0));
    return std::min(allSaved_, mostSaved_ * such);
  }

  // False if the tile does not fit.
  bool addTile(const Tile& tile) {
    account_ = &accounts_.of(tile);
    const auto takes = [&](std::int64_t loads) {
      return account_->firstTime(loads, profile_.hardware);
    };
    TimeByFollowing times;
    double saved = 0;
    for (std::size_t f = 0; f < kFollowings; ++f) {
      times[f] = kInfinity;
      if (f != kNewRow && columns_.count == 1) continue;
      if (f != kNewColumn && rows_.count == 1) continue;
      times[f] = takes(loads(tile, static_cast<Following>(f), false));
      saved = std::max(saved, times[f] - takes(loads(tile, static_cast<Following>(f), true)));
    }
    mostSaved_ = std::max(mostSaved_, saved);
    allSaved_ += saved;
    addTimes(tile, times, takes(account_->sliceArea()));
    sum_ += account_->rest;
    const std::int64_t others = profile_.gridWidth * profile_.gridHeight - account_->area;
    lastFits_ = lastFits_ || account_->peak + profile_.retainedCount * others <= capacity_;
    return account_->peak <= capacity_;
  }

  void addTimes(const Tile& tile, const TimeByFollowing& times, double first) {
    const double least = *std::min_element(times.begin(), times.end());
    if (least == kInfinity) {  // the only tile
      sum_ += first;
      firstExtra_ = rowExtra_[0] = columnExtra_[0] = 0;
      return;
    }
    sum_ += least;
    firstExtra_ = std::min(firstExtra_, first - least);
    const auto lower = [](double& extra, double value) { extra = std::min(extra, value); };
    // Where there is one line only, nothing enters it.
    lower(rowExtra_[static_cast<std::size_t>(tile.row)],
          rows_.count == 1 ? 0 : std::min(times[kNewRow], times[kBothNew]) - least);
    lower(columnExtra_[static_cast<std::size_t>(tile.column)],
          columns_.count == 1 ? 0 : std::min(times[kNewColumn], times[kBothNew]) - least);
  }

  // Of the first k-step's slices, those that no tile before can have held.
  std::int64_t loads(const Tile& tile, Following following, bool afterFirst) {
    std::int64_t sum = 0;
    for (const Rectangle& slice : account_->slices) {
      const bool held = std::any_of(
          profile_.demands.demands.begin(), profile_.demands.demands.end(), [&](const Demand& d) {
            return d.tensor == slice.tensor && d.kind == DemandKind::kSlice &&
                   demands_.active(d, demands_.kSteps() - 1) &&
                   mayBeHeld(d, slice, tile, following, afterFirst);
          });
      if (!held) sum += slice.area();
    }
    return sum;
  }

  // Whether demand `d` of the last k-step of some tile before is `slice`, or the whole tensor. A
  // slice over another tile's range can only be one over the first k-step; hence the first row and
  // column, which are left out unless `afterFirst`.
  bool mayBeHeld(const Demand& d, const Rectangle& slice, const Tile& tile, Following following,
                 bool afterFirst) {
    const Rectangle p = demands_.place(d, tile, demands_.kSteps() - 1);
    const bool newRows = following != kNewColumn && d.rows == Extent::kTile;
    const bool newColumns = following != kNewRow && d.columns == Extent::kTile;
    if (!newRows && !newColumns && p.whole) return true;
    const Range firstRows{rows_.begin(0), rows_.end(0)};
    const Range firstColumns{columns_.begin(0), columns_.end(0)};
    const bool atRows =
        newRows ? afterFirst && tile.row > 0 && slice.rows == firstRows : slice.rows == p.rows;
    const bool atColumns = newColumns
                               ? afterFirst && tile.column > 0 && slice.columns == firstColumns
                               : slice.columns == p.columns;
    if (!atRows || !atColumns) return false;
    afterFirstRow_ = afterFirstRow_ || newRows;
    afterFirstColumn_ = afterFirstColumn_ || newColumns;
    return true;
  }

  const StepProfile& profile_;
  std::int64_t capacity_;
  GridAxis rows_;
  GridAxis columns_;
  TileAccounts accounts_;
  const IterationDemands& demands_;
  const TileAccount* account_ = nullptr;  // of the tile at hand
  bool lastFits_ = false;
  double sum_ = 0;
  double firstExtra_ = kInfinity;
  std::vector<double> rowExtra_;  // what the tile that enters this row takes more
  std::vector<double> columnExtra_;
  double mostSaved_ = 0;  // by a tile that comes after one of the first row or column
  double allSaved_ = 0;
  bool afterFirstRow_ = false;
  bool afterFirstColumn_ = false;
};

}  // namespace

double tilewiseEffort(const StepProfile& profile, const Granularity& g) {
  constexpr double kMostPlaces = 16;
  const auto tiles = static_cast<double>(ceilDiv(profile.gridWidth, g.width)) *
                     static_cast<double>(ceilDiv(profile.gridHeight, g.height));
  return tiles * std::min(static_cast<double>(profile.kSteps(g.depth)), kMostPlaces);
}

double tilewiseBound(const StepProfile& profile, const Granularity& g, std::int64_t capacity,
                     double cutoff) {
  return TilewiseBound(profile, g, capacity).run(cutoff);
}

}  // namespace tilebeam
