#include "step_sums.h"

#include <algorithm>
#include <cstddef>

namespace tilebeam {
namespace {

// Demands that may coincide stand together: of one tensor, and one kind of strip.
std::size_t endOfTensor(const std::vector<Demand>& all, std::size_t i) {
  std::size_t end = i + 1;
  while (end < all.size() && all[end].tensor == all[i].tensor && all[end].kind == all[i].kind)
    ++end;
  return end;
}

}  // namespace

StepSums::StepSums(const StepProfile& profile) {
  for (const RootWork& root : profile.demands.roots) {
    group(root.reduction).perElement += root.costPerElement;
  }
  addDemands(profile);
  certain = groups;
  addMixedStrips(profile);
  for (const ReductionGroup& g : groups) {
    anyTiles.add(g, g.reduction == profile.maxRootReduction);
  }
  anyTiles.perhapsHeld = perhapsHeld;
  severalTiles = anyTiles;
  addStripPairs(profile);
}

// Tensors demanded over rectangles of two kinds, which may coincide, are left out at first: of
// their slices, one area over the whole step remains; of their strips, nothing.
void StepSums::addDemands(const StepProfile& profile) {
  const auto& all = profile.demands.demands;
  for (std::size_t i = 0; i < all.size();) {
    const std::size_t end = endOfTensor(all, i);
    const Demand& d = all[i];
    if (end == i + 1) {
      d.lastStepOnly ? void(++tileSlices) : addDemand(group(d.reduction), d, 1, profile.hardware);
    } else if (d.kind == DemandKind::kSlice) {
      mixedArea += static_cast<double>(d.width) * static_cast<double>(d.height);
    }
    i = end;
  }
}

// A root's strips beside tiles of Pointwise ops, where the two may coincide: the strips count,
// but for the first of a tile, which the tile before may have held.
void StepSums::addMixedStrips(const StepProfile& profile) {
  const auto& all = profile.demands.demands;
  for (std::size_t i = 0; i < all.size();) {
    const std::size_t end = endOfTensor(all, i);
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
    addDemand(group(strip->reduction), *strip, 1, profile.hardware);
    ++(left ? perhapsHeld[kRows] : perhapsHeld[kColumns]);
  }
}

// A tensor taken in k-steps by a root, and over the whole reduction by what makes strips: where
// there are several tiles along both axes and the k-steps divide, neither covers the other.
void StepSums::addStripPairs(const StepProfile& profile) {
  const auto& all = profile.demands.demands;
  for (std::size_t i = 0; i < all.size();) {
    const std::size_t end = endOfTensor(all, i);
    ReductionGroup pair[2];
    std::size_t strips = 0;
    bool sliced = false;
    int left = 0;
    int right = 0;
    bool divided = false;
    for (std::size_t j = i; j < end; ++j) {
      const Demand& d = all[j];
      if (d.lastStepOnly) {
        sliced = true;
      } else if (d.kind == DemandKind::kSlice && strips < 2) {
        left += d.rows == Extent::kTile && d.columns != Extent::kTile ? 1 : 0;
        right += d.columns == Extent::kTile && d.rows != Extent::kTile ? 1 : 0;
        divided = divided || d.rows == Extent::kStep || d.columns == Extent::kStep;
        pair[strips].reduction = d.reduction;
        addDemand(pair[strips++], d, 1, profile.hardware);
      } else {
        strips = 3;
      }
    }
    i = end;
    if (strips != 2 || !divided || (left != 2 && right != 2)) continue;
    for (const ReductionGroup& g : pair)
      severalTiles.add(g, g.reduction == profile.maxRootReduction);
    if (sliced) ++severalTiles.perhapsHeld[left == 2 ? kRows : kColumns];
  }
}

ReductionGroup& StepSums::group(std::int64_t reduction) {
  for (ReductionGroup& g : groups) {
    if (g.reduction == reduction) return g;
  }
  groups.push_back({});
  groups.back().reduction = reduction;
  return groups.back();
}

TileFloors floorsOf(const StepProfile& profile, const StepSums& sums, std::int64_t deepest) {
  TileFloors floors;
  floors.work = profile.pointwiseCost;
  SliceArea reloads;
  for (const ReductionGroup& g : sums.certain) {
    const std::int64_t steps = ceilDiv(g.reduction, deepest);
    const std::int64_t rowTiles = ceilDiv(g.reduction, profile.hardware.nativeHeight);
    floors.work += g.perElement * static_cast<double>(g.reduction) +
                   g.fixed * static_cast<double>(steps) +
                   g.perRowTile * static_cast<double>(std::max(steps, rowTiles));
    // What the k-steps divide does not outlive its tile.
    if (steps < 2) continue;
    reloads.add(g.stepLength * g.reduction, g.step[kRows] * g.reduction,
                g.step[kColumns] * g.reduction);
  }
  // Tile-wise traffic and mixed tensors.
  const double moved = sums.mixedArea + static_cast<double>(sums.tileSlices + profile.storedCount) *
                                            static_cast<double>(profile.gridWidth) *
                                            static_cast<double>(profile.gridHeight);
  const double bandwidth = profile.hardware.slowMemoryBandwidth;
  floors.perTile = static_cast<double>(reloads.fixed) / bandwidth;
  floors.perColumn =
      static_cast<double>(reloads.perRow) * static_cast<double>(profile.gridHeight) / bandwidth;
  floors.perRow =
      static_cast<double>(reloads.perColumn) * static_cast<double>(profile.gridWidth) / bandwidth;
  floors.once = moved / bandwidth;
  return floors;
}

}  // namespace tilebeam
