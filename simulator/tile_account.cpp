#include "tile_account.h"

#include <algorithm>

namespace tilebeam {
namespace {

std::int64_t totalArea(const std::vector<Rectangle>& slices) {
  std::int64_t sum = 0;
  for (const Rectangle& r : slices) sum += r.area();
  return sum;
}

}  // namespace

double TileAccount::firstTime(std::int64_t loads, const Hardware& hardware) const {
  return std::max(compute, static_cast<double>(loads + stores) / hardware.slowMemoryBandwidth);
}

std::int64_t TileAccount::sliceArea() const { return totalArea(slices); }

TileAccounts::TileAccounts(const StepProfile& profile, const Granularity& g, const GridAxis& rows,
                           const GridAxis& columns)
    : profile_(profile),
      g_(g),
      rows_(rows),
      columns_(columns),
      demands_(profile, g, rows, columns),
      steps_(demands_.endingSteps()),
      accumulators_(profile.accumulators(g.depth)) {}

const TileAccount& TileAccounts::of(const Tile& tile) {
  account_.area = rows_.length(tile.row) * columns_.length(tile.column);
  account_.peak = 0;
  account_.rest = 0;
  account_.compute = demands_.find(tile, 0, account_.slices);
  account_.stores = isLast(0) ? profile_.storedCount * account_.area : 0;
  notePeak(0, account_.sliceArea());

  Places near = steps_;
  if (g_.height == g_.depth) near.add(tile.row, 2);
  if (g_.width == g_.depth) near.add(tile.column, 2);
  near.list(0, 1, true, places_);
  std::int64_t held = -1;  // the k-step that current_ holds
  for (const Place& step : places_) {
    if (step.index == 0) continue;
    if (held == step.index - 1) {
      std::swap(previous_, current_);
    } else {
      demands_.find(tile, step.index - 1, previous_);
    }
    const double compute = demands_.find(tile, step.index, current_);
    held = step.index;
    addIteration(step.index, compute, static_cast<double>(step.count));
  }
  return account_;
}

void TileAccounts::addIteration(std::int64_t j, double compute, double times) {
  notePeak(j, totalArea(current_));
  const std::int64_t stores = isLast(j) ? profile_.storedCount * account_.area : 0;
  const double memory = static_cast<double>(missingArea(current_, previous_) + stores) /
                        profile_.hardware.slowMemoryBandwidth;
  account_.rest += std::max(compute, memory) * times;
}

void TileAccounts::notePeak(std::int64_t j, std::int64_t set) {
  const std::int64_t outputs = isLast(j) ? profile_.storedCount + profile_.retainedCount : 0;
  account_.peak = std::max(account_.peak, set + std::max(accumulators_, outputs) * account_.area);
}

std::int64_t missingArea(const std::vector<Rectangle>& slices, const std::vector<Rectangle>& held) {
  std::int64_t sum = 0;
  for (const Rectangle& r : slices) {
    const bool kept = std::any_of(held.begin(), held.end(), [&](const Rectangle& p) {
      return p.tensor == r.tensor && (p.whole || p == r);
    });
    if (!kept) sum += r.area();
  }
  return sum;
}

}  // namespace tilebeam
