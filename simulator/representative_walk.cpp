#include "representative_walk.h"

#include <algorithm>
#include <vector>

#include "iteration_demands.h"

namespace tilebeam {
namespace {

class Walk {
 public:
  Walk(const StepProfile& profile, const Granularity& g, TraversalKind kind)
      : profile_(profile),
        g_(g),
        kSteps_(profile.kSteps(g.depth)),
        accumulators_(profile.accumulators(g.depth)),
        sweep_(profile.gridWidth, profile.gridHeight, g, kind),
        demands_(profile, g, rowAxis(), columnAxis()),
        steps_(demands_.endingSteps()),
        majors_(sweep_.major.count),
        minors_(sweep_.minor.count) {
    findSpecialPlaces();
  }

  StepAccount run() {
    std::vector<Place> lines;
    const std::int64_t stride = sweep_.snake ? 2 : 1;
    for (std::int64_t begin = 0; begin < std::min(stride, sweep_.major.count); ++begin) {
      majors_.list(begin, stride, true, lines);
      for (const Place& line : lines) walkLine(line);
    }
    return finish();
  }

  // Any order, tile by tile; only k-steps are collapsed.
  StepAccount run(const std::vector<std::int64_t>& order) {
    const Tile* before = nullptr;
    Tile previous;
    for (const std::int64_t number : order) {
      const Tile tile{number / columnAxis().count, number % columnAxis().count};
      walkTile(tile, before, 1);
      finishedArea_ += rowAxis().length(tile.row) * columnAxis().length(tile.column);
      previous = tile;
      before = &previous;
    }
    return finish();
  }

 private:
  const GridAxis& rowAxis() const { return sweep_.columnsMajor ? sweep_.minor : sweep_.major; }
  const GridAxis& columnAxis() const { return sweep_.columnsMajor ? sweep_.major : sweep_.minor; }

  StepAccount finish() {
    account_.stores = static_cast<double>(profile_.storedCount) *
                      static_cast<double>(profile_.gridWidth * profile_.gridHeight);
    account_.cost.peakFastMemory += profile_.residentArea;
    account_.memoryTime =
        (account_.loads + account_.stores) / profile_.hardware.slowMemoryBandwidth;
    return account_;
  }

  void findSpecialPlaces() {
    std::vector<std::int64_t> ends{0, kSteps_ - 2, kSteps_ - 1};
    for (const std::int64_t reduction : profile_.rootReductions) {
      const std::int64_t n = ceilDiv(reduction, g_.depth);
      ends.push_back(n - 2);
      ends.push_back(n - 1);
    }
    std::sort(ends.begin(), ends.end());
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    rowsFollowSteps_ = markAxis(kRows, g_.height, sweep_.columnsMajor ? minors_ : majors_, ends);
    columnsFollowSteps_ =
        markAxis(kColumns, g_.width, sweep_.columnsMajor ? majors_ : minors_, ends);
    if (rowsFollowSteps_ && columnsFollowSteps_) {
      for (const std::int64_t i : minors_.special()) majors_.add(i, 4);
    }
  }

  // Tile i and k-step j of a tensor's axis cover the same range only where i * tile = j * k. Away
  // from the ends that takes tiles as long as k-steps; if then both are demanded in every k-step,
  // tile i meets k-step i wherever it stands (the result is true). Otherwise a tile meets k-steps
  // at the ends alone.
  bool markAxis(int axis, std::int64_t tile, Places& places,
                const std::vector<std::int64_t>& ends) const {
    const auto& demands = profile_.demands.demands;
    const auto extent = [axis](const Demand& d) { return axis == kRows ? d.rows : d.columns; };
    bool coincide = false;
    bool everyStep = false;
    for (auto d = demands.begin(); d != demands.end();) {
      bool overStep = false;
      bool overTile = false;
      bool overTileInEveryStep = false;
      for (const std::int32_t t = d->tensor; d != demands.end() && d->tensor == t; ++d) {
        overStep = overStep || extent(*d) == Extent::kStep;
        overTile = overTile || extent(*d) == Extent::kTile;
        overTileInEveryStep =
            overTileInEveryStep || (extent(*d) == Extent::kTile && !d->lastStepOnly);
      }
      coincide = coincide || (overStep && overTile);
      everyStep = everyStep || (overStep && overTileInEveryStep);
    }
    if (!coincide) return false;
    const bool follow = everyStep && tile == g_.depth;
    for (const std::int64_t j : ends) {
      if (j * g_.depth % tile == 0) places.add(j * g_.depth / tile, follow ? 4 : 1);
    }
    return follow;
  }

  Tile tileAt(std::int64_t major, std::int64_t minor) const {
    return sweep_.columnsMajor ? Tile{minor, major} : Tile{major, minor};
  }

  void walkLine(const Place& line) {
    const bool forward = sweep_.forward(line.index);
    const std::int64_t first = forward ? 0 : sweep_.minor.count - 1;
    if (rowsFollowSteps_ && columnsFollowSteps_) {
      Places near = minors_;
      near.add(line.index, 2);
      near.list(0, 1, forward, minorPlaces_);
    } else {
      minors_.list(0, 1, forward, minorPlaces_);
    }
    for (const Place& place : minorPlaces_) {
      const Tile tile = tileAt(line.index, place.index);
      const std::int64_t count = line.count * place.count;
      finishedArea_ = sweep_.finishedArea(line.index, place.index);
      if (place.index != first) {
        const Tile before = tileAt(line.index, place.index + (forward ? -1 : 1));
        walkTile(tile, &before, count);
      } else if (line.index > 0) {
        const Tile before = tileAt(line.index - 1, sweep_.snake ? first : sweep_.minor.count - 1);
        walkTile(tile, &before, count);
      } else {
        walkTile(tile, nullptr, count);
      }
    }
  }

  void walkTile(const Tile& tile, const Tile* before, std::int64_t count) {
    if (rowsFollowSteps_ || columnsFollowSteps_) {
      Places near = steps_;
      if (rowsFollowSteps_) near.add(tile.row, 2);
      if (columnsFollowSteps_) near.add(tile.column, 2);
      near.list(0, 1, true, stepPlaces_);
    } else if (stepPlaces_.empty()) {
      steps_.list(0, 1, true, stepPlaces_);
    }
    std::int64_t held = -1;  // the k-step of this tile that current_ holds
    for (const Place& step : stepPlaces_) {
      if (step.index > 0 && held == step.index - 1) {
        std::swap(previous_, current_);
      } else if (step.index > 0) {
        demands_.find(tile, step.index - 1, previous_);
      } else if (before != nullptr) {
        demands_.find(*before, kSteps_ - 1, previous_);
      } else {
        previous_.clear();
      }
      const double compute = demands_.find(tile, step.index, current_);
      held = step.index;
      // No integer: tiles times k-steps may pass 2^63.
      const double times = static_cast<double>(count) * static_cast<double>(step.count);
      addIteration(tile, step.index == kSteps_ - 1, compute, times);
    }
  }

  void addIteration(const Tile& tile, bool last, double compute, double times) {
    const std::int64_t area = rowAxis().length(tile.row) * columnAxis().length(tile.column);
    std::int64_t set = 0;
    std::int64_t loads = 0;
    auto run = previous_.cbegin();
    for (const Rectangle& r : current_) {
      set += r.area();
      while (run != previous_.cend() && run->tensor < r.tensor) ++run;
      bool held = false;
      for (auto p = run; p != previous_.cend() && p->tensor == r.tensor; ++p) {
        held = held || p->whole || *p == r;
      }
      if (!held) loads += r.area();
    }
    const std::int64_t outputs = last ? profile_.storedCount + profile_.retainedCount : 0;
    const std::int64_t workingSet =
        set + std::max(accumulators_, outputs) * area + profile_.retainedCount * finishedArea_;
    account_.cost.peakFastMemory = std::max(account_.cost.peakFastMemory, workingSet);

    const std::int64_t stores = last ? profile_.storedCount * area : 0;
    const double memory =
        static_cast<double>(loads + stores) / profile_.hardware.slowMemoryBandwidth;
    account_.cost.latency += times * std::max(compute, memory);
    account_.computeTime += times * compute;
    account_.loads += times * static_cast<double>(loads);
  }

  const StepProfile& profile_;
  const Granularity& g_;
  std::int64_t kSteps_;
  std::int64_t accumulators_;
  Sweep sweep_;
  IterationDemands demands_;
  Places steps_;
  Places majors_;
  Places minors_;
  // In k-step j, the tiles of row (column) j are demanded over the k-step's own range.
  bool rowsFollowSteps_ = false;
  bool columnsFollowSteps_ = false;
  std::vector<Place> stepPlaces_;
  std::vector<Place> minorPlaces_;
  std::vector<Rectangle> current_;
  std::vector<Rectangle> previous_;
  std::int64_t finishedArea_ = 0;
  StepAccount account_;
};

}  // namespace

StepAccount walkRepresentatives(const StepProfile& profile, const Granularity& granularity,
                                TraversalKind kind) {
  return Walk(profile, granularity, kind).run();
}

StepAccount walkOrder(const StepProfile& profile, const Granularity& granularity,
                      const std::vector<std::int64_t>& order) {
  return Walk(profile, granularity, TraversalKind::kRaster).run(order);
}

}  // namespace tilebeam
