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
    const auto& pairs = profile_.mixedPairs;
    if (demands_.size() > 64 || profile_.groups.size() > DistinctDemands::kMaxGroups) {
      return std::nullopt;
    }
    DistinctDemands distinct;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (settle(pairs[i].first, pairs[i].second)) continue;
      if (onSingleTiles == OnSingleTiles::kGiveUp) return std::nullopt;
      if (onSingleTiles == OnSingleTiles::kCountOne) {
        dropShorter(pairs[i].first, pairs[i].second);
      } else if (i < 64) {
        distinct.kept |= std::uint64_t{1} << i;
      }
    }
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

  // Of the two the one that is demanded in fewer k-steps, unless one is dropped already.
  void dropShorter(std::size_t a, std::size_t b) {
    const std::uint64_t both = std::uint64_t{1} << a | std::uint64_t{1} << b;
    if ((dropped_ & both) != 0) return;
    const bool second = activity(demands_[a]).covers(activity(demands_[b]));
    dropped_ |= std::uint64_t{1} << (second ? b : a);
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

bool alone(const StepProfile& profile, const Demand& a, const Demand& b) {
  const auto& all = profile.demands.demands;
  return a.tensor == b.tensor && std::count_if(all.begin(), all.end(), [&](const Demand& d) {
                                   return d.tensor == a.tensor;
                                 }) == 2;
}

// A tile's slice, wanted in the last k-step, is saved where it is the strip of that k-step or of
// the one before; the next tile's first strip where it is that slice. Each happens on one tile at
// most along the axis that k-steps and tiles both divide, so many elements long.
std::int64_t meetingLength(std::int64_t length, std::int64_t tile, std::int64_t depth,
                           std::int64_t kSteps) {
  std::int64_t sum = 0;
  for (const std::int64_t j : {std::int64_t{0}, kSteps - 2, kSteps - 1}) {
    const std::int64_t begin = j * depth;
    if (j < 0 || begin >= length || begin % tile != 0) continue;
    const std::int64_t end = std::min(length, begin + depth);
    if (end == std::min(length, begin + tile)) sum += end - begin;
  }
  return sum;
}

}  // namespace

std::optional<std::int64_t> savedOnSingleTiles(const StepProfile& profile, const Granularity& g,
                                               std::uint64_t pairs) {
  const auto& all = profile.demands.demands;
  // The slice must not be the whole tensor.
  if (profile.mixedPairs.size() > 64) return std::nullopt;
  if (g.width >= profile.gridWidth && g.height >= profile.gridHeight) return std::nullopt;
  std::int64_t saved = 0;
  for (std::size_t i = 0; i < profile.mixedPairs.size(); ++i) {
    if ((pairs >> i & 1U) == 0) continue;
    const auto [a, b] = profile.mixedPairs[i];
    const Demand& strip = all[all[b].lastStepOnly ? a : b];
    const Demand& slice = all[all[b].lastStepOnly ? b : a];
    const bool left = strip.rows == Extent::kTile && strip.columns == Extent::kStep;
    const bool right = strip.rows == Extent::kStep && strip.columns == Extent::kTile;
    const std::int64_t length = left ? strip.width : strip.height;
    if (!slice.lastStepOnly || strip.lastStepOnly || (!left && !right)) return std::nullopt;
    if (g.depth >= length || !alone(profile, strip, slice)) return std::nullopt;
    const std::int64_t meets =
        meetingLength(length, left ? g.width : g.height, g.depth, profile.kSteps(g.depth));
    saved += meets * (left ? profile.gridHeight : profile.gridWidth);
  }
  return saved;
}

std::optional<DistinctDemands> separate(const StepProfile& profile, const Granularity& g,
                                        OnSingleTiles onSingleTiles) {
  return Separation(profile, g).run(onSingleTiles);
}

}  // namespace tilebeam
