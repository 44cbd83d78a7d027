#include "step_profile.h"

#include <algorithm>
#include <tuple>

namespace tilebeam {

StepProfile::StepProfile(const Subgraph& subgraph, const StepContext& context, DepthReading depth)
    : hardware(subgraph.problem().hardware()),
      gridWidth(subgraph.gridWidth()),
      gridHeight(subgraph.gridHeight()),
      maxRootReduction(subgraph.maxRootReduction()),
      storedCount(static_cast<std::int64_t>(context.stored.size())),
      retainedCount(static_cast<std::int64_t>(context.retained.size())),
      demands(findDemands(subgraph, context, depth)) {
  for (const TensorId t : context.resident) residentArea += subgraph.problem().tensor(t).area();
  pointwiseCost = demands.pointwiseCost;
  for (const RootWork& root : demands.roots) {
    rootReductions.push_back(root.reduction);
    group(root.reduction).perElement += root.costPerElement;
  }
  // What may coincide stands together: the demands of one tensor.
  std::sort(demands.demands.begin(), demands.demands.end(), [](const Demand& a, const Demand& b) {
    return std::tie(a.tensor, a.kind, a.rows, a.columns) <
           std::tie(b.tensor, b.kind, b.rows, b.columns);
  });
  for (const Demand& d : demands.demands) {
    if (d.lastStepOnly) {
      ++tileSlices;
    } else {
      addDemand(group(d.reduction), d, 1, hardware);
    }
  }
  findMixedPairs();
}

ReductionGroup& StepProfile::group(std::int64_t reduction) {
  const auto it = std::partition_point(groups.begin(), groups.end(), [=](const ReductionGroup& g) {
    return g.reduction > reduction;
  });
  if (it != groups.end() && it->reduction == reduction) return *it;
  ReductionGroup added;
  added.reduction = reduction;
  return *groups.insert(it, added);
}

namespace {

void addSlice(ReductionGroup& g, const Demand& d, int times) {
  const bool tileRows = d.rows == Extent::kTile;
  const bool tileColumns = d.columns == Extent::kTile;
  if (tileRows) {
    (d.columns == Extent::kStep ? g.step[kRows] += times : g.full[kRows] += times * d.width);
  } else if (tileColumns) {
    (d.rows == Extent::kStep ? g.step[kColumns] += times : g.full[kColumns] += times * d.height);
  } else if (d.rows == Extent::kStep) {
    g.stepLength += times * d.width;
  } else if (d.columns == Extent::kStep) {
    g.stepLength += times * d.height;
  } else {
    g.fullArea += times * d.height * d.width;
  }
}

// stripCost() over symbolic ranges. A tile never exceeds native, and a k-step never nk = nw, so
// they make one padded block each, except the k-step along rows, which may exceed nh.
void addStrip(ReductionGroup& g, const Demand& d, int times, const Hardware& hardware) {
  const std::int64_t rows = d.rows == Extent::kFull ? d.height : 1;
  const std::int64_t columns = d.columns == Extent::kFull ? d.width : 1;
  const double cost = times * stripCost(d, rows, columns, hardware);
  const bool proportional =
      d.byMatMul &&
      (d.kind == DemandKind::kLeftStrip ? d.columns == Extent::kStep : d.rows == Extent::kStep);
  if (proportional) {
    g.perElement += cost;
  } else if (d.rows == Extent::kStep) {
    g.perRowTile += cost;
  } else {
    g.fixed += cost;
  }
}

}  // namespace

void addDemand(ReductionGroup& group, const Demand& d, int times, const Hardware& hardware) {
  d.kind == DemandKind::kSlice ? addSlice(group, d, times) : addStrip(group, d, times, hardware);
}

void StepProfile::findMixedPairs() {
  const auto& all = demands.demands;
  // No symbolic rectangle stands twice, so any two of one tensor and kind differ.
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    for (std::uint32_t j = i + 1; j < all.size(); ++j) {
      if (all[i].tensor != all[j].tensor || all[i].kind != all[j].kind) break;
      mixedPairs.emplace_back(i, j);
    }
  }
}

}  // namespace tilebeam
