#include "iteration_demands.h"

#include <algorithm>

namespace tilebeam {
namespace {

// Sets are sorted by tensor, as demands are, so equals stand within the last tensor's run.
bool addOnce(const Rectangle& r, std::vector<Rectangle>& set) {
  for (auto other = set.rbegin(); other != set.rend() && other->tensor == r.tensor; ++other) {
    if (*other == r) return false;
  }
  set.push_back(r);
  return true;
}

void dropPartsOfWholes(std::vector<Rectangle>& set) {
  auto kept = set.begin();
  for (auto run = set.begin(); run != set.end();) {
    const auto end = std::find_if(run, set.end(),
                                  [t = run->tensor](const Rectangle& r) { return r.tensor != t; });
    const bool whole = std::any_of(run, end, [](const Rectangle& r) { return r.whole; });
    for (; run != end; ++run) {
      if (run->whole || !whole) *kept++ = *run;
    }
  }
  set.erase(kept, set.end());
}

}  // namespace

double IterationDemands::find(const Tile& tile, std::int64_t j, std::vector<Rectangle>& set) {
  set.clear();
  strips_.clear();
  double compute = j == kSteps_ - 1 ? profile_.pointwiseCost : 0;
  for (const RootWork& root : profile_.demands.roots) {
    const std::int64_t t = std::min(depth_, root.reduction - j * depth_);
    if (t > 0) compute += root.costPerElement * static_cast<double>(t);
  }
  for (const Demand& d : profile_.demands.demands) {
    if (!active(d, j)) continue;
    const Rectangle r = place(d, tile, j);
    if (!addOnce(r, d.kind == DemandKind::kSlice ? set : strips_)) continue;
    if (d.kind != DemandKind::kSlice) {
      compute += stripCost(d, r.rows.length(), r.columns.length(), profile_.hardware);
    }
  }
  dropPartsOfWholes(set);
  return compute;
}

Rectangle IterationDemands::place(const Demand& d, const Tile& tile, std::int64_t j) const {
  Rectangle r{d.tensor, d.kind, range(d.rows, rows_, tile.row, d.height, j),
              range(d.columns, columns_, tile.column, d.width, j), false};
  r.whole = r.rows.length() == d.height && r.columns.length() == d.width;
  return r;
}

Places IterationDemands::endingSteps() const {
  Places steps(kSteps_);
  for (const std::int64_t reduction : profile_.rootReductions) {
    const std::int64_t n = ceilDiv(reduction, depth_);
    steps.add(n - 1);
    steps.add(n);
  }
  return steps;
}

Range IterationDemands::range(Extent extent, const GridAxis& axis, std::int64_t i,
                              std::int64_t length, std::int64_t j) const {
  switch (extent) {
    case Extent::kTile:
      return {axis.begin(i), axis.end(i)};
    case Extent::kStep:
      return {j * depth_, std::min(length, (j + 1) * depth_)};
    case Extent::kFull:
      break;
  }
  return {0, length};
}

}  // namespace tilebeam
