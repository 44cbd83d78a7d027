#include "tile_size_sums.h"

#include <algorithm>
#include <array>
#include <limits>

namespace tilebeam {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Every line but the first tile's is entered. `extra`: of lines of full length, and of the last.
double allButOne(const std::array<double, 2>& extra, std::int64_t lines) {
  if (lines == 1) return 0;
  return extra[0] * static_cast<double>(lines - 1) + extra[1] - std::max(extra[0], extra[1]);
}

// The time of tiles at one k, by segments of k-steps.
class TileTimes {
 public:
  TileTimes(const StepProfile& profile, const Counted& counted, std::int64_t k)
      : profile_(profile),
        counted_(counted),
        k_(k),
        kSteps_(profile.kSteps(k)),
        accumulators_(profile.accumulators(k)) {}

  // Cut short where it does not fit.
  TileTime of(const TileSize& tile, std::int64_t capacity) const {
    TileTime time;
    for (std::int64_t begin = 0; begin < kSteps_ && time.peak <= capacity;) {
      const std::int64_t end = segmentEnd(begin);
      addSegment(tile, begin, end, capacity, time);
      begin = end;
    }
    return time;
  }

 private:
  // K-steps from `begin` on that cost the same: cut after the first, before and after a group's
  // last.
  std::int64_t segmentEnd(std::int64_t begin) const {
    if (begin == 0) return 1;
    std::int64_t end = kSteps_;
    for (const ReductionGroup& g : counted_.groups) {
      const std::int64_t steps = ceilDiv(g.reduction, k_);
      if (steps - 1 > begin) end = std::min(end, steps - 1);
      if (steps > begin) end = std::min(end, steps);
    }
    if (kSteps_ - 1 > begin) end = std::min(end, kSteps_ - 1);
    return end;
  }

  void addSegment(const TileSize& tile, std::int64_t begin, std::int64_t end, std::int64_t capacity,
                  TileTime& time) const {
    const bool last = end == kSteps_;
    double compute = last ? profile_.pointwiseCost : 0;
    SliceArea set;
    SliceArea fresh;
    SliceArea held;
    for (const ReductionGroup& g : counted_.groups) {
      const std::int64_t t = std::min(k_, g.reduction - begin * k_);
      if (t <= 0) continue;
      compute += g.fixed + g.perElement * static_cast<double>(t);
      if (g.perRowTile != 0) {
        compute += g.perRowTile * static_cast<double>(ceilDiv(t, profile_.hardware.nativeHeight));
      }
      fresh.add(g.stepLength * t, g.step[kRows] * t, g.step[kColumns] * t);
      set.add(g.fullArea, g.full[kRows], g.full[kColumns]);
      // What outlives a tile must be demanded in its last k-step, over the same range.
      if (ceilDiv(g.reduction, k_) != kSteps_) continue;
      held.add(g.fullArea, g.full[kRows], g.full[kColumns]);
      if (kSteps_ == 1) held.add(g.stepLength * t, g.step[kRows] * t, g.step[kColumns] * t);
    }
    set.add(fresh.fixed, fresh.perRow, fresh.perColumn);
    const std::int64_t area = tile.rows * tile.columns;
    const std::int64_t slices = last ? counted_.tileSlices * area : 0;
    const std::int64_t outputs = last ? profile_.storedCount + profile_.retainedCount : 0;
    const std::int64_t demanded = set.at(tile) + slices;
    time.peak = std::max(time.peak, demanded + std::max(accumulators_, outputs) * area);
    if (time.peak > capacity) return;

    const std::int64_t stores = last ? profile_.storedCount * area : 0;
    const auto takes = [&](std::int64_t loads) {
      return std::max(compute,
                      static_cast<double>(loads + stores) / profile_.hardware.slowMemoryBandwidth);
    };
    if (begin > 0) {
      const double each = takes(fresh.at(tile) + slices) * static_cast<double>(end - begin);
      time.newRow += each;
      time.newColumn += each;
      time.first += each;
      return;
    }
    held.fixed += k_ * (counted_.perhapsHeld[kRows] * tile.rows +
                        counted_.perhapsHeld[kColumns] * tile.columns);
    time.newRow += takes(demanded - held.fixed - held.perColumn * tile.columns);
    time.newColumn += takes(demanded - held.fixed - held.perRow * tile.rows);
    time.first += takes(demanded);
  }

  const StepProfile& profile_;
  const Counted& counted_;
  std::int64_t k_;
  std::int64_t kSteps_;
  std::int64_t accumulators_;
};

}  // namespace

void TileSizeSums::setTiles(std::int64_t w, std::int64_t h) {
  columns_ = ceilDiv(profile_.gridWidth, w);
  rows_ = ceilDiv(profile_.gridHeight, h);
  const std::int64_t lastWidth = profile_.gridWidth - (columns_ - 1) * w;
  const std::int64_t lastHeight = profile_.gridHeight - (rows_ - 1) * h;
  const auto c = static_cast<double>(columns_ - 1);
  const auto r = static_cast<double>(rows_ - 1);
  tiles_ = {TileSize{h, w, r * c}, TileSize{h, lastWidth, r}, TileSize{lastHeight, w, c},
            TileSize{lastHeight, lastWidth, 1}};
}

std::int64_t TileSizeSums::deepestFitting(std::int64_t capacity) const {
  const TileSize& tile = largestTile();
  const std::int64_t perStep = splitTotals().perStep.at(tile);
  const std::int64_t room =
      capacity - splitTotals().full.at(tile) - roots() * tile.rows * tile.columns;
  return perStep > 0 ? room / perStep : deepest_;
}

const TileSize& TileSizeSums::largestTile() const {
  return *std::find_if(tiles_.begin(), tiles_.end(), [](const TileSize& t) { return t.count > 0; });
}

template <class TimeOf>
double TileSizeSums::latencyOf(const TimeOf& timeOf, std::int64_t capacity, double cutoff) const {
  double sum = 0;
  double firstTile = kInfinity;
  // What a tile takes more at which a row, or a column, is entered: full and clipped ones.
  std::array<double, 2> rowExtra{kInfinity, kInfinity};
  std::array<double, 2> columnExtra{kInfinity, kInfinity};
  std::array<std::int64_t, 4> peaks{};
  for (std::size_t i = 0; i < tiles_.size(); ++i) {
    const TileSize& t = tiles_[i];
    if (t.count == 0) continue;
    const TileTime time = timeOf(t);
    if (time.peak > capacity) return kInfinity;
    peaks[i] = time.peak;
    const double least = std::min(time.newRow, time.newColumn);
    sum += least * t.count;
    if (sum >= cutoff) return sum;
    firstTile = std::min(firstTile, time.first - least);
    rowExtra[i / 2] = std::min(rowExtra[i / 2], time.newRow - least);
    columnExtra[i % 2] = std::min(columnExtra[i % 2], time.newColumn - least);
  }
  if (profile_.retainedCount > 0 && !fitsInSomeOrder(peaks, capacity)) return kInfinity;
  sum += firstTile + allButOne(rowExtra, rows_) + allButOne(columnExtra, columns_);
  return std::max(sum, floors_.at(columns_, rows_));
}

// What is retained piles up: a tile fits up to some number of finished elements, so it has a time,
// counted in elements, by which it must be done. If any order meets all of these, the one does that
// takes the most urgent first.
bool TileSizeSums::fitsInSomeOrder(const std::array<std::int64_t, 4>& peaks,
                                   std::int64_t capacity) const {
  struct Due {
    std::int64_t by = 0;
    std::int64_t elements = 0;
  };
  // No finite memory is larger; the capacity may be the largest number there is.
  constexpr std::int64_t kEnough = std::numeric_limits<std::int64_t>::max() / 2;
  std::array<Due, 4> dues;
  for (std::size_t i = 0; i < tiles_.size(); ++i) {
    if (tiles_[i].count == 0) continue;
    const std::int64_t area = tiles_[i].rows * tiles_[i].columns;
    dues[i].by = std::min(kEnough, (capacity - peaks[i]) / profile_.retainedCount) + area;
    dues[i].elements = static_cast<std::int64_t>(tiles_[i].count) * area;
  }
  std::sort(dues.begin(), dues.end(), [](const Due& a, const Due& b) { return a.by < b.by; });
  std::int64_t finished = 0;
  for (const Due& due : dues) {
    finished += due.elements;
    if (due.elements > 0 && finished > due.by) return false;
  }
  return true;
}

double TileSizeSums::latency(std::int64_t k, std::int64_t capacity, double cutoff) const {
  const TileTimes times(profile_, counted_, k);
  return latencyOf([&](const TileSize& tile) { return times.of(tile, capacity); }, capacity,
                   cutoff);
}

double TileSizeSums::splitLatency(std::int64_t capacity, double cutoff) const {
  const SplitTotals& totals = splitTotals();
  return latencyOf(
      [&](const TileSize& tile) {
        TileTime time;
        time.peak = splitPeak(totals, tile);
        const std::int64_t area = tile.rows * tile.columns;
        const std::int64_t held = deepest_ * (totals.perhapsHeld[kRows] * tile.rows +
                                              totals.perhapsHeld[kColumns] * tile.columns);
        const std::int64_t always =
            totals.split.at(tile) - held + (sums_.tileSlices + profile_.storedCount) * area;
        const auto takes = [&](std::int64_t loads) {
          return std::max(floors_.work,
                          static_cast<double>(loads) / profile_.hardware.slowMemoryBandwidth);
        };
        time.newRow = takes(always + totals.full.perRow * tile.rows);
        time.newColumn = takes(always + totals.full.perColumn * tile.columns);
        time.first = takes(always + totals.full.at(tile));
        return time;
      },
      capacity, cutoff);
}

// The first and last iteration, at their least: over one element of the reduction.
std::int64_t TileSizeSums::splitPeak(const SplitTotals& totals, const TileSize& tile) const {
  const std::int64_t area = tile.rows * tile.columns;
  const std::int64_t outputs = profile_.storedCount + profile_.retainedCount;
  return std::max(
      totals.full.at(tile) + totals.perStep.at(tile) + roots() * area,
      totals.lastIteration.at(tile) + (sums_.tileSlices + std::max(roots(), outputs)) * area);
}

}  // namespace tilebeam
