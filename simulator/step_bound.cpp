#include "tilebeam/step_bound.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "coincidence.h"
#include "few_tiles.h"
#include "step_profile.h"
#include "step_sums.h"
#include "tile_size_sums.h"
#include "tilewise_bound.h"

namespace tilebeam {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Visit = std::function<double(const Granularity&)>;

// As many granularities as native sizes of 256 by 256, and k to 256, allow; one or two seconds.
constexpr std::int64_t kMostGranularities = std::int64_t{1} << 24;

// Iterations that are looked at one by one; some tenth of a second.
constexpr double kMostEffort = 1 << 18;

class StepBound {
 public:
  StepBound(const Subgraph& subgraph, const StepContext& context, DepthReading depth,
            std::int64_t extraResident)
      : subgraph_(subgraph),
        profile_(subgraph, context, depth),
        hardware_(profile_.hardware),
        sums_(profile_),
        capacity_(hardware_.fastMemoryCapacity - extraResident - profile_.residentArea),
        deepest_(subgraph.hasMatMul() ? std::min(hardware_.nativeDepth(), subgraph.minReduction())
                                      : 1),
        floors_(floorsOf(profile_, sums_, deepest_)),
        tiles_(profile_, sums_, floors_, deepest_) {}

  double floor() const {
    return floorOf(std::min(hardware_.nativeWidth, profile_.gridWidth),
                   std::min(hardware_.nativeHeight, profile_.gridHeight));
  }

  LeastStep run(const std::function<bool()>& stop, BoundEffort effort) {
    stop_ = &stop;
    effortLeft_ = effort == BoundEffort::kThorough ? kMostEffort : 0;
    return search();
  }

  void visit(TileLengths lengths, double below, std::int64_t most, const Visit& visit) {
    shortest_ = lengths == TileLengths::kShortest;
    best_ = below;
    most_ = most;
    visit_ = &visit;
    search();
  }

 private:
  LeastStep search() {
    const std::int64_t gridArea = profile_.gridWidth * profile_.gridHeight;
    if (profile_.retainedCount * gridArea > capacity_) return {kInfinity, {}, {}};
    std::int64_t widest = std::min(hardware_.nativeWidth, profile_.gridWidth);
    std::int64_t tallest = std::min(hardware_.nativeHeight, profile_.gridHeight);
    if (shortest_) {
      widest = shortest(profile_.gridWidth, widest);
      tallest = shortest(profile_.gridHeight, tallest);
    }
    for (std::int64_t w = widest; w >= 1; w = nextBelow(w, profile_.gridWidth)) {
      // Shorter tiles only make more of them.
      const double least = floorOf(w, tallest);
      if (least >= best_) break;
      for (std::int64_t h = tallest; h >= 1 && !exhausted();
           h = nextBelow(h, profile_.gridHeight)) {
        const double floor = floorOf(w, h);
        if (floor < best_) tryDepths(w, h);
        if (floor >= best_) break;
      }
      if (exhausted()) return {std::min(best_, least), at_, bestOrder_};
    }
    return {best_, at_, bestOrder_};
  }

  // The next length to look at; 0 after 1. Long native sizes have too many to go through one by
  // one.
  std::int64_t nextBelow(std::int64_t length, std::int64_t extent) const {
    return shortest_ ? shortest(extent, length - 1) : length - 1;
  }

  // Of the lengths that make as many tiles.
  static std::int64_t shortest(std::int64_t extent, std::int64_t length) {
    return length > 0 ? ceilDiv(extent, ceilDiv(extent, length)) : 0;
  }

  // No granularity with tiles of w by h, or smaller ones, takes less.
  double floorOf(std::int64_t w, std::int64_t h) const {
    return floors_.at(ceilDiv(profile_.gridWidth, w), ceilDiv(profile_.gridHeight, h));
  }

  void tryDepths(std::int64_t w, std::int64_t h) {
    tiles_.setTiles(w, h);
    tryDepth({w, h, deepest_});
    if (deepest_ == 1 || tiles_.splitLatency(capacity_, best_) >= best_) return;
    const std::int64_t deepest = std::min(deepest_ - 1, tiles_.deepestFitting(capacity_));
    for (std::int64_t k = deepest; k >= 1 && !exhausted(); --k) tryDepth({w, h, k});
  }

  bool exhausted() const { return tried_ > most_; }

  void countTry() {
    constexpr std::int64_t kBetweenLooks = 4096;
    if (++tried_ % kBetweenLooks != 0 || stop_ == nullptr || !*stop_) return;
    if ((*stop_)()) tried_ = most_ + 1;
  }

  void tryDepth(const Granularity& g) {
    countTry();
    // A tile as wide as the grid stands for any w up to native.
    const bool anyWidth = g.width == profile_.gridWidth;
    const bool anyHeight = g.height == profile_.gridHeight;
    if (subgraph_.prologueWidth(g.depth) > (anyWidth ? hardware_.nativeWidth : g.width)) return;
    if (subgraph_.prologueHeight(g.depth) > (anyHeight ? hardware_.nativeHeight : g.height)) return;
    const double least = bestOf(g);
    if (least >= best_) return;
    at_ = {std::max(g.width, subgraph_.prologueWidth(g.depth)),
           std::max(g.height, subgraph_.prologueHeight(g.depth)), g.depth};
    best_ = visit_ != nullptr ? (*visit_)(at_) : least;
    bestOrder_ = order_;
  }

  double bestOf(const Granularity& g) {
    order_.clear();
    const double least = sumsOf(g);
    if (least >= best_ || summedExactly_) return least;
    const std::int64_t tiles =
        ceilDiv(profile_.gridWidth, g.width) * ceilDiv(profile_.gridHeight, g.height);
    const bool few = tiles <= kFewTiles;
    if (!few && !single_) return least;
    const double effort = tilewiseEffort(profile_, g) + (few ? orderEffort(tiles) : 0);
    if (effort > effortLeft_) return least;
    effortLeft_ -= effort;
    if (!few) return std::max(least, tilewiseBound(profile_, g, capacity_, best_));
    BestOrder exact = bestOrderOfFewTiles(profile_, g, capacity_);
    order_ = std::move(exact.order);
    return std::max(least, exact.latency);
  }

  // The sums by tile size. Says whether they are exact for some snake, and, if not, whether that is
  // because rectangles coincide on single tiles.
  double sumsOf(const Granularity& g) {
    const bool clipped = profile_.gridWidth % g.width != 0 || profile_.gridHeight % g.height != 0;
    summedExactly_ = !clipped && profile_.retainedCount == 0;
    single_ = false;
    tiles_.countSums();
    const double least = tiles_.latency(g.depth, capacity_, best_);
    if (!profile_.mixed() || least >= best_) return least;
    const auto distinct = separate(profile_, g, OnSingleTiles::kCountBoth);
    single_ = !distinct || distinct->kept != 0;
    summedExactly_ = summedExactly_ && !single_;
    if (!distinct) return least;
    tiles_.count({{distinct->groups.data(), distinct->groupCount}, distinct->tileSlices, {}});
    if (single_) return std::max(least, bothCounted(g, distinct->kept));
    return std::max(least, tiles_.latency(g.depth, capacity_, best_));
  }

  // In iterations that take as long to look at.
  static double orderEffort(std::int64_t tiles) {
    constexpr double kSteps = 64;
    const auto n = static_cast<double>(tiles);
    return n * n * static_cast<double>(std::int64_t{1} << tiles) / kSteps;
  }

  // Both of the pairs `kept`, less what can have been loaded once only.
  double bothCounted(const Granularity& g, std::uint64_t kept) {
    const auto saved = savedOnSingleTiles(profile_, g, kept);
    if (!saved) return 0;
    const double gain = static_cast<double>(*saved) / hardware_.slowMemoryBandwidth;
    // Not all iterations hold both, so it may fit where this sum does not.
    constexpr std::int64_t kAnyCapacity = std::numeric_limits<std::int64_t>::max();
    const double both = tiles_.latency(g.depth, kAnyCapacity, best_ + gain);
    return both - gain;
  }

  const Subgraph& subgraph_;
  const StepProfile profile_;
  const Hardware hardware_;
  const StepSums sums_;
  const std::int64_t capacity_;  // beside all that is carried in
  const std::int64_t deepest_;
  const TileFloors floors_;
  TileSizeSums tiles_;
  const std::function<bool()>* stop_ = nullptr;
  const Visit* visit_ = nullptr;
  bool shortest_ = false;  // lengths only
  std::int64_t most_ = kMostGranularities;
  std::int64_t tried_ = 0;
  double effortLeft_ = 0;
  double best_ = kInfinity;
  Granularity at_;  // of best_
  std::vector<std::int64_t> bestOrder_;
  // Of the granularity at hand.
  std::vector<std::int64_t> order_;
  bool summedExactly_ = false;
  bool single_ = false;
};

}  // namespace

double stepFloor(const Subgraph& subgraph, const StepContext& context, DepthReading depth) {
  return StepBound(subgraph, context, depth, 0).floor();
}

LeastStep leastStep(const Subgraph& subgraph, const StepContext& context, DepthReading depth,
                    std::int64_t extraResident, const std::function<bool()>& stop,
                    BoundEffort effort) {
  return StepBound(subgraph, context, depth, extraResident).run(stop, effort);
}

void visitPromising(const Subgraph& subgraph, const StepContext& context, DepthReading depth,
                    std::int64_t extraResident, TileLengths lengths, double below,
                    std::int64_t most, const Visit& visit) {
  StepBound(subgraph, context, depth, extraResident).visit(lengths, below, most, visit);
}

double stepLowerBound(const Subgraph& subgraph, const StepContext& context, DepthReading depth,
                      std::int64_t extraResident, const std::function<bool()>& stop,
                      BoundEffort effort) {
  return leastStep(subgraph, context, depth, extraResident, stop, effort).latency;
}

}  // namespace tilebeam
