#include "coincidence.h"

#include <algorithm>

namespace tilebeam {
namespace {

enum class Meeting : std::uint8_t { kNever, kAlways, kSometimes };

// One axis of a tensor under a granularity.
struct TensorAxis {
  std::int64_t tile = 0;
  std::int64_t tiles = 0;
  std::int64_t step = 0;
  std::int64_t steps = 0;

  TensorAxis(std::int64_t length, std::int64_t tileLength, std::int64_t stepLength)
      : tile(tileLength),
        tiles(ceilDiv(length, tileLength)),
        step(stepLength),
        steps(ceilDiv(length, stepLength)) {}

  bool isFull(Extent e) const {
    return e == Extent::kFull || (e == Extent::kTile && tiles == 1) ||
           (e == Extent::kStep && steps == 1);
  }

  Meeting meeting(Extent a, Extent b) const {
    if (a == b || (isFull(a) && isFull(b))) return Meeting::kAlways;
    if (isFull(a) || isFull(b)) return Meeting::kNever;
    // A tile against a k-step: equally long, or both clipped by the tensor's edge.
    const bool sometimes = tile == step || (tiles - 1) * tile == (steps - 1) * step;
    return sometimes ? Meeting::kSometimes : Meeting::kNever;
  }
};

// The k-steps in which a demand is made.
struct Activity {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  bool covers(const Activity& other) const { return begin <= other.begin && end >= other.end; }
};

class Separation {
 public:
  Separation(const StepProfile& profile, const Granularity& g)
      : profile_(profile),
        demands_(profile.demands.demands),
        g_(g),
        kSteps_(profile.kSteps(g.depth)) {}

  std::optional<DistinctDemands> run(OnSingleTiles onSingleTiles) {
    if (demands_.size() > 64 || profile_.groups.size() > DistinctDemands::kMaxGroups) {
      return std::nullopt;
    }
    for (const auto& [a, b] : profile_.mixedPairs) {
      if (!settle(a, b) && onSingleTiles == OnSingleTiles::kGiveUp) return std::nullopt;
    }
    DistinctDemands distinct;
    distinct.groupCount = profile_.groups.size();
    std::copy(profile_.groups.begin(), profile_.groups.end(), distinct.groups.begin());
    distinct.tileSlices = profile_.tileSlices;
    for (std::size_t i = 0; i < demands_.size(); ++i) {
      if ((dropped_ >> i & 1U) != 0) leaveOut(demands_[i], distinct);
    }
    return distinct;
  }

 private:
  // Drops one of the two where the other covers it; false if they meet on single tiles.
  bool settle(std::size_t a, std::size_t b) {
    const Demand& first = demands_[a];
    const Demand& second = demands_[b];
    const TensorAxis rows(first.height, g_.height, g_.depth);
    const TensorAxis columns(first.width, g_.width, g_.depth);
    const Meeting alongRows = rows.meeting(first.rows, second.rows);
    const Meeting alongColumns = columns.meeting(first.columns, second.columns);
    const auto isWhole = [&](const Demand& d) {
      return d.kind == DemandKind::kSlice && rows.isFull(d.rows) && columns.isFull(d.columns);
    };
    if (alongRows == Meeting::kNever || alongColumns == Meeting::kNever) {
      if (isWhole(first)) return drop(b, a);
      if (isWhole(second)) return drop(a, b);
      return true;
    }
    if (alongRows == Meeting::kSometimes || alongColumns == Meeting::kSometimes) return false;
    return activity(first).covers(activity(second)) ? drop(b, a) : drop(a, b);
  }

  bool drop(std::size_t covered, std::size_t by) {
    if (!activity(demands_[by]).covers(activity(demands_[covered]))) return false;
    dropped_ |= std::uint64_t{1} << covered;
    return true;
  }

  Activity activity(const Demand& d) const {
    if (d.lastStepOnly) return {kSteps_ - 1, kSteps_};
    return {0, ceilDiv(d.reduction, g_.depth)};
  }

  void leaveOut(const Demand& d, DistinctDemands& distinct) const {
    if (d.lastStepOnly) {
      --distinct.tileSlices;
      return;
    }
    for (std::size_t i = 0; i < distinct.groupCount; ++i) {
      if (distinct.groups[i].reduction == d.reduction) {
        addDemand(distinct.groups[i], d, -1, profile_.hardware);
      }
    }
  }

  const StepProfile& profile_;
  const std::vector<Demand>& demands_;
  const Granularity& g_;
  std::int64_t kSteps_;
  std::uint64_t dropped_ = 0;
};

}  // namespace

std::optional<DistinctDemands> separate(const StepProfile& profile, const Granularity& g,
                                        OnSingleTiles onSingleTiles) {
  return Separation(profile, g).run(onSingleTiles);
}

}  // namespace tilebeam
