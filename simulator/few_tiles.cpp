#include "few_tiles.h"

#include <algorithm>
#include <limits>

#include "tile_account.h"

namespace tilebeam {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class OrderProgram {
 public:
  OrderProgram(const StepProfile& profile, const Granularity& g, std::int64_t capacity)
      : profile_(profile), capacity_(capacity) {
    const GridAxis rows(profile.gridHeight, g.height);
    const GridAxis columns(profile.gridWidth, g.width);
    TileAccounts accounts(profile, g, rows, columns);
    for (Tile tile; tile.row < rows.count; ++tile.row) {
      for (tile.column = 0; tile.column < columns.count; ++tile.column) {
        tiles_.push_back(accounts.of(tile));
        kept_.emplace_back();
        accounts.demands().find(tile, accounts.demands().kSteps() - 1, kept_.back());
      }
    }
    count_ = tiles_.size();
    after_.resize(count_ * count_);
    for (std::size_t t = 0; t < count_; ++t) {
      for (std::size_t p = 0; p < count_; ++p) after_[t * count_ + p] = timeAfter(t, p);
    }
  }

  BestOrder run() {
    const std::size_t all = (std::size_t{1} << count_) - 1;
    best_.assign((all + 1) * count_, kInfinity);
    for (std::size_t done = 0; done < all; ++done) {
      const std::int64_t room = capacity_ - profile_.retainedCount * areaOf(done);
      for (std::size_t t = 0; t < count_; ++t) {
        if ((done >> t & 1U) != 0 || tiles_[t].peak > room) continue;
        best_[(done | std::size_t{1} << t) * count_ + t] = leastTo(done, t).time;
      }
    }
    return traceBack(all);
  }

 private:
  struct Way {
    double time = kInfinity;
    std::size_t before = 0;
  };

  double timeAfter(std::size_t t, std::size_t before) const {
    const std::int64_t loads = missingArea(tiles_[t].slices, kept_[before]);
    return tiles_[t].rest + tiles_[t].firstTime(loads, profile_.hardware);
  }

  std::int64_t areaOf(std::size_t tiles) const {
    std::int64_t area = 0;
    for (std::size_t t = 0; t < count_; ++t) area += (tiles >> t & 1U) != 0 ? tiles_[t].area : 0;
    return area;
  }

  // The least time for `t` after all of `done`, and the tile just before it.
  Way leastTo(std::size_t done, std::size_t t) const {
    if (done == 0) {
      const std::int64_t loads = tiles_[t].sliceArea();
      return {tiles_[t].rest + tiles_[t].firstTime(loads, profile_.hardware), t};
    }
    Way least;
    for (std::size_t p = 0; p < count_; ++p) {
      const double time = best_[done * count_ + p] + after_[t * count_ + p];
      if (time < least.time) least = {time, p};
    }
    return least;
  }

  BestOrder traceBack(std::size_t all) const {
    BestOrder result;
    const auto ends = best_.begin() + static_cast<std::ptrdiff_t>(all * count_);
    const auto end = std::min_element(ends, ends + static_cast<std::ptrdiff_t>(count_));
    result.latency = *end;
    if (result.latency == kInfinity) return result;
    auto t = static_cast<std::size_t>(end - ends);
    for (std::size_t done = all; done != 0;) {
      result.order.push_back(static_cast<std::int64_t>(t));
      done &= ~(std::size_t{1} << t);
      t = leastTo(done, t).before;
    }
    std::reverse(result.order.begin(), result.order.end());
    return result;
  }

  const StepProfile& profile_;
  std::int64_t capacity_;
  std::size_t count_ = 0;
  std::vector<TileAccount> tiles_;
  std::vector<std::vector<Rectangle>> kept_;  // slices of the last k-steps
  std::vector<double> after_;                 // by tile, and the one before
  std::vector<double> best_;                  // by set of tiles, and the last of them
};

}  // namespace

BestOrder bestOrderOfFewTiles(const StepProfile& profile, const Granularity& g,
                              std::int64_t capacity) {
  return OrderProgram(profile, g, capacity).run();
}

}  // namespace tilebeam
