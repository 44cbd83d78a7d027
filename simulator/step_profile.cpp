#include "step_profile.h"

#include <algorithm>
#include <unordered_map>

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
  for (const Demand& d : demands.demands) {
    if (d.lastStepOnly) {
      ++tileSlices;
    } else if (d.kind == DemandKind::kSlice) {
      addSlice(d);
    } else {
      addStrip(d);
    }
  }
  mixed = groups.size() > kMaxGroups || findMixed();
}

// Roots come by decreasing reduction, so groups do too.
ReductionGroup& StepProfile::group(std::int64_t reduction) {
  for (ReductionGroup& g : groups) {
    if (g.reduction == reduction) return g;
  }
  groups.emplace_back().reduction = reduction;
  return groups.back();
}

void StepProfile::addSlice(const Demand& d) {
  ReductionGroup& g = group(d.reduction);
  const bool tileRows = d.rows == Extent::kTile;
  const bool tileColumns = d.columns == Extent::kTile;
  if (tileRows) {
    (d.columns == Extent::kStep ? g.step[kRows] += 1 : g.full[kRows] += d.width);
  } else if (tileColumns) {
    (d.rows == Extent::kStep ? g.step[kColumns] += 1 : g.full[kColumns] += d.height);
  } else if (d.rows == Extent::kStep) {
    g.stepLength += d.width;
  } else if (d.columns == Extent::kStep) {
    g.stepLength += d.height;
  } else {
    g.fullArea += d.height * d.width;
  }
}

// stripCost() over symbolic ranges. A tile never exceeds native, and a k-step never nk = nw, so they
// make one padded block each, except the k-step along rows, which may exceed nh.
void StepProfile::addStrip(const Demand& d) {
  ReductionGroup& g = group(d.reduction);
  const std::int64_t rows = d.rows == Extent::kFull ? d.height : 1;
  const std::int64_t columns = d.columns == Extent::kFull ? d.width : 1;
  const double unit = stripCost(d, rows, columns, hardware);
  const bool proportional = d.byMatMul && (d.kind == DemandKind::kLeftStrip
                                               ? d.columns == Extent::kStep
                                               : d.rows == Extent::kStep);
  if (proportional) {
    g.perElement += unit;
  } else if (d.rows == Extent::kStep) {
    g.perRowTile += unit;
  } else {
    g.fixed += unit;
  }
}

bool StepProfile::findMixed() const {
  constexpr std::size_t kFew = 16;
  const auto& all = demands.demands;
  const auto differ = [](const Demand& a, const Demand& b) {
    return a.kind == b.kind && (a.rows != b.rows || a.columns != b.columns);
  };
  if (all.size() <= kFew) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (all[i].tensor == all[j].tensor && differ(all[i], all[j])) return true;
      }
    }
    return false;
  }
  std::unordered_map<std::int64_t, const Demand*> first;
  for (const Demand& d : all) {
    const std::int64_t key = std::int64_t{d.tensor.value()} * 4 + static_cast<std::int64_t>(d.kind);
    const auto [it, added] = first.emplace(key, &d);
    if (!added && differ(*it->second, d)) return true;
  }
  return false;
}

}  // namespace tilebeam
