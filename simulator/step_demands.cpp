#include "step_demands.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

namespace tilebeam {
namespace {

class DemandFinder {
 public:
  DemandFinder(const Subgraph& subgraph, const StepContext& context, DepthReading depth)
      : subgraph_(subgraph), problem_(subgraph.problem()), context_(context), depth_(depth) {}

  StepDemands find() {
    std::vector<OpId> roots(subgraph_.roots().begin(), subgraph_.roots().end());
    // Most steps have one root, and need no room to sort in. The root with the longest reduction
    // first: a demand that several roots share is then first met with the reduction that keeps it
    // alive longest.
    if (roots.size() > 1) {
      std::stable_sort(roots.begin(), roots.end(), [&](OpId a, OpId b) {
        return problem_.reduction(a) > problem_.reduction(b);
      });
    }
    for (const OpId o : roots) addRoot(o);
    for (const OpId o : subgraph_.tileOps()) addPointwise(o);
    numberByFirstMention();
    return std::move(found_);
  }

 private:
  static constexpr std::size_t kFew = 32;

  void addRoot(OpId o) {
    const Op& op = problem_.op(o);
    const std::int64_t reduction = problem_.reduction(o);
    const std::int64_t full =
        depth_ == DepthReading::kNative ? problem_.hardware().nativeDepth() : reduction;
    found_.roots.push_back({reduction, op.baseCost / static_cast<double>(full)});
    want(op.inputs[0], DemandKind::kLeftStrip, Extent::kTile, Extent::kStep);
    want(op.inputs[1], DemandKind::kRightStrip, Extent::kStep, Extent::kTile);
    drain(reduction);
  }

  void addPointwise(OpId o) {
    const Op& op = problem_.op(o);
    found_.pointwiseCost += op.baseCost;
    for (const TensorId t : op.inputs) {
      if (subgraph_.produces(t) || isResident(t)) continue;
      Demand slice = describe(t, DemandKind::kSlice, Extent::kTile, Extent::kTile);
      slice.lastStepOnly = true;
      addOnce(slice);
    }
  }

  void want(TensorId t, DemandKind kind, Extent rows, Extent columns) {
    pending_.push_back(describe(t, kind, rows, columns));
  }

  // Follows what has been wanted down to the external tensors.
  void drain(std::int64_t reduction) {
    while (!pending_.empty()) {
      Demand d = pending_.back();
      pending_.pop_back();
      d.reduction = reduction;
      const TensorId t(d.tensor);
      if (!subgraph_.produces(t)) {
        d.kind = DemandKind::kSlice;
        if (!isResident(t)) addOnce(d);
        continue;
      }
      const OpId o = problem_.graph().producer(t);
      const Op& op = problem_.op(o);
      d.byMatMul = op.isMatMul();
      d.cost = op.baseCost * (d.byMatMul ? depthShare(o) : 1.0);
      if (!addOnce(d)) continue;
      if (d.byMatMul) {
        want(op.inputs[0], DemandKind::kLeftStrip, d.rows, Extent::kFull);
        want(op.inputs[1], DemandKind::kRightStrip, Extent::kFull, d.columns);
      } else {
        for (const TensorId input : op.inputs) want(input, d.kind, d.rows, d.columns);
      }
    }
  }

  void numberByFirstMention() {
    if (found_.demands.size() <= kFew) return numberFew();
    std::unordered_map<std::int32_t, std::int32_t> numbers;
    for (Demand& d : found_.demands) {
      const auto next = static_cast<std::int32_t>(numbers.size());
      d.tensor = numbers.emplace(d.tensor, next).first->second;
    }
  }

  // Without a map, which would take longer than all the rest.
  void numberFew() {
    std::array<std::int32_t, kFew> tensors;
    auto end = tensors.begin();
    for (Demand& d : found_.demands) {
      const auto place = std::find(tensors.begin(), end, d.tensor);
      if (place == end) *end++ = d.tensor;
      d.tensor = static_cast<std::int32_t>(place - tensors.begin());
    }
  }

  double depthShare(OpId o) const {
    if (depth_ == DepthReading::kFull) return 1.0;
    return static_cast<double>(problem_.reduction(o)) /
           static_cast<double>(problem_.hardware().nativeDepth());
  }

  Demand describe(TensorId t, DemandKind kind, Extent rows, Extent columns) const {
    Demand d;
    d.tensor = t.value();
    d.kind = kind;
    d.rows = rows;
    d.columns = columns;
    d.height = problem_.tensor(t).height;
    d.width = problem_.tensor(t).width;
    return d;
  }

  bool isResident(TensorId t) const {
    const auto& resident = context_.resident;
    return std::binary_search(resident.begin(), resident.end(), t);
  }

  static std::uint64_t keyOf(const Demand& d) {
    return (static_cast<std::uint64_t>(d.tensor) << 8) | (static_cast<std::uint64_t>(d.kind) << 4) |
           (static_cast<std::uint64_t>(d.rows) << 2) | static_cast<std::uint64_t>(d.columns);
  }

  // Few demands are compared one by one; the hash set serves steps of thousands of ops.
  bool addOnce(const Demand& d) {
    auto& demands = found_.demands;
    if (demands.size() < kFew) {
      for (const Demand& other : demands) {
        if (keyOf(other) == keyOf(d)) return false;
      }
    } else {
      if (seen_.empty()) {
        for (const Demand& other : demands) seen_.insert(keyOf(other));
      }
      if (!seen_.insert(keyOf(d)).second) return false;
    }
    demands.push_back(d);
    return true;
  }

  const Subgraph& subgraph_;
  const Problem& problem_;
  const StepContext& context_;
  DepthReading depth_;
  StepDemands found_;
  std::vector<Demand> pending_;
  std::unordered_set<std::uint64_t> seen_;
};

}  // namespace

StepDemands findDemands(const Subgraph& subgraph, const StepContext& context, DepthReading depth) {
  return DemandFinder(subgraph, context, depth).find();
}

double stripCost(const Demand& d, std::int64_t rows, std::int64_t columns,
                 const Hardware& hardware) {
  const auto nk = static_cast<double>(hardware.nativeDepth());
  const auto rowTiles = static_cast<double>(ceilDiv(rows, hardware.nativeHeight));
  const auto columnTiles = static_cast<double>(ceilDiv(columns, hardware.nativeWidth));
  if (!d.byMatMul) return d.cost * rowTiles * columnTiles;
  if (d.kind == DemandKind::kLeftStrip) {
    return d.cost * (static_cast<double>(columns) / nk) * rowTiles;
  }
  return d.cost * (static_cast<double>(rows) / nk) * columnTiles;
}

}  // namespace tilebeam
