#include "engine/order_search.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/recorded_tasks.h"
#include "simulator/ceil_div.h"

namespace tilebeam {
namespace {

// Of so many tiles, orders with stretches reversed.
constexpr std::int64_t kMostTilesForReversals = 32;

// Of so many, orders that have to be listed.
constexpr std::int64_t kMostTilesForLists = 4096;

constexpr std::array<StartCorner, 4> kCorners{
    {{false, false}, {false, true}, {true, false}, {true, true}}};

}  // namespace

void OrderSearch::tryAt(const Granularity& g, const std::vector<std::int64_t>& order) {
  granularity_ = g;
  columns_ = ceilDiv(subgraph_.gridWidth(), g.width);
  rows_ = ceilDiv(subgraph_.gridHeight(), g.height);
  here_ = {};
  const bool fewTiles = columns_ <= kMostTilesForLists / rows_;
  for (const TraversalKind kind : kNamedTraversals) {
    if (kind == TraversalKind::kRaster || (fewTiles && !isLine())) tryNamed(kind, {});
  }
  if (!order.empty()) tryListed(order);
  if (fewTiles && isNear()) {
    tryCorners();
    if (columns_ * rows_ <= kMostTilesForReversals) reverseStretches();
  }
  if (here_.best.latency < best_.best.latency * kWorthwhile) best_ = here_;
}

// What does not fit in row order may do so in another.
bool OrderSearch::isNear() const {
  constexpr double kNear = 1.1;
  return !here_.best.feasible() || here_.best.latency < kNear * best_.best.latency;
}

// Without clipped tiles all corners are alike, unless rectangles meet on single tiles. As that
// takes a walk, it is asked of one kind alone.
void OrderSearch::tryCorners() {
  const bool shortColumn = columns_ > 1 && subgraph_.gridWidth() % granularity_.width != 0;
  const bool shortRow = rows_ > 1 && subgraph_.gridHeight() % granularity_.height != 0;
  for (const TraversalKind kind : kNamedTraversals) {
    // Along a line they are one and the same.
    if (kind != TraversalKind::kRaster && isLine()) continue;
    const bool walked = kind == TraversalKind::kColumnRaster && !simulator_.quickIsExact();
    for (const StartCorner start : kCorners) {
      if (start.isFirstTile()) continue;
      const bool alike = (start.lastRow && !shortRow) || (start.lastColumn && !shortColumn);
      if (walked || !alike) tryNamed(kind, start);
    }
  }
}

void OrderSearch::reverseStretches() {
  for (bool better = here_.best.feasible(); better;) {
    const double before = here_.best.latency;
    const std::vector<std::int64_t> base =
        here_.order.empty() ? tileOrderFrom(here_.best.start, here_.best.traversal, columns_, rows_)
                            : here_.order;
    tryReversals(base);
    better = here_.best.latency < before && isNear();
  }
}

// As many as what is left of the effort allows. They do not hang on each other, so the workers
// share them.
void OrderSearch::tryReversals(const std::vector<std::int64_t>& base) {
  const std::size_t tiles = base.size();
  std::vector<std::pair<std::size_t, std::size_t>> stretches;
  for (std::size_t from = 0; from < tiles; ++from) {
    for (std::size_t to = from + 2; to <= tiles && !exhausted(); ++to) {
      stretches.emplace_back(from, to);
      effortLeft_ -= static_cast<std::int64_t>(tiles);
    }
  }
  const auto reversed = [&](std::size_t i) {
    const auto [from, to] = stretches[i];
    std::vector<std::int64_t> order = base;
    std::reverse(order.begin() + static_cast<std::ptrdiff_t>(from),
                 order.begin() + static_cast<std::ptrdiff_t>(to));
    return order;
  };
  std::vector<StepCost> costs(stretches.size());
  sharedOut(recorder_, TraceKind::kOther, costs.size(),
            [&](std::size_t i) { costs[i] = costOf(reversed(i)); });
  for (std::size_t i = 0; i < costs.size(); ++i) {
    keep(costs[i], TraversalKind::kExplicit, {}, reversed(i));
  }
}

// Where rectangles meet on single tiles, representative ones are walked, from another corner all.
void OrderSearch::tryNamed(TraversalKind kind, StartCorner start) {
  constexpr std::int64_t kRepresentatives = 64;
  if (exhausted()) return;
  if (!simulator_.quickIsExact()) {
    effortLeft_ -= start.isFirstTile() ? kRepresentatives : columns_ * rows_;
  }
  keep(simulator_.cost(granularity_, kind, start), kind, start, {});
}

void OrderSearch::tryListed(const std::vector<std::int64_t>& order) {
  const auto tiles = static_cast<std::int64_t>(order.size());
  if (exhausted()) return;
  effortLeft_ -= tiles;
  keep(costOf(order), TraversalKind::kExplicit, {}, order);
}

StepCost OrderSearch::costOf(const std::vector<std::int64_t>& order) const {
  return simulator_.account(granularity_, {TraversalKind::kExplicit, order}).cost;
}

void OrderSearch::keep(const StepCost& cost, TraversalKind kind, StartCorner start,
                       const std::vector<std::int64_t>& order) {
  if (cost.peakFastMemory > capacity_ || cost.latency >= here_.best.latency * kWorthwhile) return;
  here_ = {{cost.latency, granularity_, kind, start}, order};
}

}  // namespace tilebeam
