// The collapsed simulator. Iterations are summed by class: the tile's size (full or clipped along
// each axis), how the tile follows its predecessor, and the segment of k-steps.
#include <array>
#include <optional>
#include <span>

#include "coincidence.h"
#include "peak_floor.h"
#include "representative_walk.h"
#include "step_geometry.h"
#include "step_profile.h"
#include "step_sums.h"
#include "tilebeam/step_simulator.h"

namespace tilebeam {

struct CollapsedSimulator::Profile : StepProfile {
  using StepProfile::StepProfile;
};

namespace {

// How a tile follows the one before it.
enum Transition : int { kAlong, kTurn, kJump, kFirst };
constexpr int kTransitions = 4;

// The tiles of one size: how many follow their predecessor in which way, and the elements finished
// before the last of them.
struct TileClass {
  std::int64_t majorLength = 0;
  std::int64_t minorLength = 0;
  std::int64_t tiles = 0;
  std::array<std::int64_t, kTransitions> transitions{};
  std::int64_t finishedArea = 0;
};

using TileClasses = std::array<TileClass, 4>;

// Lines of a class that turn, by the minor class of the tile they start on.
void countTurns(const Sweep& sweep, TileClasses& classes) {
  const GridAxis& major = sweep.major;
  const GridAxis& minor = sweep.minor;
  const int turn = sweep.snake || minor.count == 1 ? kTurn : kJump;
  const int firstMinor = minor.classOf(0);
  const int lastMinor = minor.classOf(minor.count - 1);
  // A clipped line at the end counts by itself. Lines 1, 3, 5, ... of a snake start on the last
  // minor index, lines 2, 4, ... on the first.
  const bool clippedEnd = major.count > 1 && major.classOf(major.count - 1) == 1;
  const std::int64_t lines = major.count - (clippedEnd ? 1 : 0);
  const std::int64_t odd = sweep.snake ? lines / 2 : 0;
  const std::int64_t even = lines - 1 - odd;
  classes[static_cast<std::size_t>(lastMinor)].transitions[static_cast<std::size_t>(turn)] += odd;
  classes[static_cast<std::size_t>(firstMinor)].transitions[static_cast<std::size_t>(turn)] += even;
  if (clippedEnd) {
    const int start = sweep.forward(major.count - 1) ? firstMinor : lastMinor;
    ++classes[static_cast<std::size_t>(2 + start)].transitions[static_cast<std::size_t>(turn)];
  }
  ++classes[static_cast<std::size_t>(2 * major.classOf(0) + firstMinor)].transitions[kFirst];
}

TileClasses classify(const Sweep& sweep, bool retains) {
  TileClasses classes;
  countTurns(sweep, classes);
  for (int a = 0; a < 2; ++a) {
    for (int b = 0; b < 2; ++b) {
      TileClass& c = classes[static_cast<std::size_t>(2 * a + b)];
      c.tiles = sweep.major.classCount(a) * sweep.minor.classCount(b);
      if (c.tiles == 0) continue;
      c.majorLength = sweep.major.classLength(a);
      c.minorLength = sweep.minor.classLength(b);
      c.transitions[kAlong] =
          c.tiles - c.transitions[kTurn] - c.transitions[kJump] - c.transitions[kFirst];
      if (!retains) continue;
      const std::int64_t line = sweep.major.lastOf(a);
      const std::int64_t place =
          sweep.forward(line) ? sweep.minor.lastOf(b) : sweep.minor.firstOf(b);
      c.finishedArea = sweep.finishedArea(line, place);
    }
  }
  return classes;
}

// The area of a set of slices as a function of the tile's lengths.
struct Area {
  std::int64_t fixed = 0;
  std::int64_t major = 0;
  std::int64_t minor = 0;

  std::int64_t at(const TileClass& c) const {
    return fixed + major * c.majorLength + minor * c.minorLength;
  }
};

// Consecutive k-steps that cost the same.
struct Segment {
  std::int64_t count = 0;
  bool first = false;
  bool last = false;
  double compute = 0;
  Area set;        // all slices but those of Pointwise ops at tile position
  Area fresh;      // of these, what the iteration before does not hold, within a tile
  Area survivors;  // of these, what the last k-step of the tile before holds if the axis agrees
};

class ClassSums {
 public:
  // `groups` and `tileSlices`: the profile's, without what is demanded twice.
  ClassSums(const StepProfile& profile, std::span<const ReductionGroup> groups,
            std::int64_t tileSlices, const Granularity& g, TraversalKind kind, StartCorner start)
      : profile_(profile),
        groups_(groups),
        tileSlices_(tileSlices),
        k_(g.depth),
        kSteps_(profile.kSteps(g.depth)),
        accumulators_(profile.accumulators(g.depth)),
        sweep_(profile.gridWidth, profile.gridHeight, g, kind, start),
        classes_(classify(sweep_, profile.retainedCount > 0)),
        majorAxis_(sweep_.columnsMajor ? kColumns : kRows),
        minorAxis_(sweep_.columnsMajor ? kRows : kColumns) {}

  StepAccount run() {
    account_.stores = static_cast<double>(profile_.storedCount) *
                      static_cast<double>(profile_.gridWidth * profile_.gridHeight);
    addSegments();
    account_.cost.peakFastMemory += profile_.residentArea;
    account_.memoryTime =
        (account_.loads + account_.stores) / profile_.hardware.slowMemoryBandwidth;
    return account_;
  }

 private:
  // Cuts the k-steps where something changes: after the first, at a group's last, and behind it.
  void addSegments() {
    std::int64_t begin = 0;
    const auto cutAt = [&](std::int64_t end) {
      if (end <= begin) return;
      addSegment(makeSegment(begin, end));
      begin = end;
    };
    cutAt(1);
    for (auto g = groups_.rbegin(); g != groups_.rend(); ++g) {
      const std::int64_t steps = ceilDiv(g->reduction, k_);
      cutAt(steps - 1);
      cutAt(steps);
    }
  }

  Segment makeSegment(std::int64_t begin, std::int64_t end) const {
    Segment s;
    s.count = end - begin;
    s.first = begin == 0;
    s.last = end == kSteps_;
    if (s.last) s.compute = profile_.pointwiseCost;
    for (const ReductionGroup& g : groups_) {
      const std::int64_t t = std::min(k_, g.reduction - begin * k_);
      if (t > 0) addGroup(g, t, s);
    }
    return s;
  }

  void addGroup(const ReductionGroup& g, std::int64_t t, Segment& s) const {
    s.compute += g.fixed + g.perElement * static_cast<double>(t);
    if (g.perRowTile != 0) {
      s.compute += g.perRowTile * static_cast<double>(ceilDiv(t, profile_.hardware.nativeHeight));
    }
    const Area step{g.stepLength * t, g.step[axis(majorAxis_)] * t, g.step[axis(minorAxis_)] * t};
    const Area full{g.fullArea, g.full[axis(majorAxis_)], g.full[axis(minorAxis_)]};
    accumulate(s.set, step);
    accumulate(s.set, full);
    accumulate(s.fresh, step);
    // What outlives a tile must be demanded in its last k-step, over the same range.
    if (ceilDiv(g.reduction, k_) == kSteps_) {
      accumulate(s.survivors, full);
      if (kSteps_ == 1) accumulate(s.survivors, step);
    }
  }

  static std::size_t axis(int a) { return static_cast<std::size_t>(a); }

  static void accumulate(Area& sum, const Area& a) {
    sum.fixed += a.fixed;
    sum.major += a.major;
    sum.minor += a.minor;
  }

  void addSegment(const Segment& s) {
    for (const TileClass& c : classes_) {
      if (c.tiles == 0) continue;
      const std::int64_t area = c.majorLength * c.minorLength;
      const std::int64_t tileSlices = s.last ? tileSlices_ * area : 0;
      const std::int64_t set = s.set.at(c) + tileSlices;
      addPeak(s, c, area, set);
      const std::int64_t stores = s.last ? profile_.storedCount * area : 0;
      if (!s.first) {
        addTime(s.compute, s.fresh.at(c) + tileSlices, stores,
                static_cast<double>(s.count) * static_cast<double>(c.tiles));
        continue;
      }
      const std::int64_t held[kTransitions] = {
          s.survivors.fixed + s.survivors.major * c.majorLength,
          s.survivors.fixed + s.survivors.minor * c.minorLength, s.survivors.fixed, 0};
      for (std::size_t t = 0; t < kTransitions; ++t) {
        if (c.transitions[t] == 0) continue;
        addTime(s.compute, set - held[t], stores, static_cast<double>(c.transitions[t]));
      }
    }
  }

  void addPeak(const Segment& s, const TileClass& c, std::int64_t area, std::int64_t set) {
    const std::int64_t outputs = s.last ? profile_.storedCount + profile_.retainedCount : 0;
    const std::int64_t workingSet =
        set + std::max(accumulators_, outputs) * area + profile_.retainedCount * c.finishedArea;
    account_.cost.peakFastMemory = std::max(account_.cost.peakFastMemory, workingSet);
  }

  // `times` is no integer: tiles times k-steps may pass 2^63.
  void addTime(double compute, std::int64_t loads, std::int64_t stores, double times) {
    const double memory =
        static_cast<double>(loads + stores) / profile_.hardware.slowMemoryBandwidth;
    account_.cost.latency += times * std::max(compute, memory);
    account_.computeTime += times * compute;
    account_.loads += times * static_cast<double>(loads);
  }

  const StepProfile& profile_;
  std::span<const ReductionGroup> groups_;
  std::int64_t tileSlices_;
  std::int64_t k_;
  std::int64_t kSteps_;
  std::int64_t accumulators_;
  Sweep sweep_;
  TileClasses classes_;
  int majorAxis_;
  int minorAxis_;
  StepAccount account_;
};

}  // namespace

CollapsedSimulator::CollapsedSimulator(const Subgraph& subgraph, const StepContext& context,
                                       DepthReading depth)
    : profile_(std::make_unique<const Profile>(subgraph, context, depth)) {}

CollapsedSimulator::~CollapsedSimulator() = default;
CollapsedSimulator::CollapsedSimulator(CollapsedSimulator&&) noexcept = default;
CollapsedSimulator& CollapsedSimulator::operator=(CollapsedSimulator&&) noexcept = default;

namespace {

// Along a single row or column of tiles all kinds are one order, and cost the same to the last bit.
TraversalKind effectiveKind(const StepProfile& profile, const Granularity& g, TraversalKind kind) {
  const bool oneLine = profile.gridWidth <= g.width || profile.gridHeight <= g.height;
  return oneLine ? TraversalKind::kRaster : kind;
}

StepAccount sumClasses(const StepProfile& profile, const std::optional<DistinctDemands>& distinct,
                       const Granularity& g, TraversalKind kind, StartCorner start = {}) {
  if (!distinct)
    return ClassSums(profile, profile.groups, profile.tileSlices, g, kind, start).run();
  const std::span<const ReductionGroup> groups(distinct->groups.data(), distinct->groupCount);
  return ClassSums(profile, groups, distinct->tileSlices, g, kind, start).run();
}

}  // namespace

StepAccount CollapsedSimulator::account(const Granularity& granularity, TraversalKind kind,
                                        StartCorner start) const {
  kind = effectiveKind(*profile_, granularity, kind);
  if (!profile_->mixed()) return sumClasses(*profile_, std::nullopt, granularity, kind, start);
  const auto distinct = separate(*profile_, granularity, OnSingleTiles::kGiveUp);
  if (distinct) return sumClasses(*profile_, distinct, granularity, kind, start);
  if (start.isFirstTile()) return walkRepresentatives(*profile_, granularity, kind);
  const std::int64_t columns = ceilDiv(profile_->gridWidth, granularity.width);
  const std::int64_t rows = ceilDiv(profile_->gridHeight, granularity.height);
  return walkOrder(*profile_, granularity, tileOrderFrom(start, kind, columns, rows));
}

StepCost CollapsedSimulator::quickCost(const Granularity& granularity, TraversalKind kind) const {
  kind = effectiveKind(*profile_, granularity, kind);
  if (!profile_->mixed()) return sumClasses(*profile_, std::nullopt, granularity, kind).cost;
  return sumClasses(*profile_, separate(*profile_, granularity, OnSingleTiles::kCountBoth),
                    granularity, kind)
      .cost;
}

std::int64_t CollapsedSimulator::leastPeak(const Granularity& granularity,
                                           TraversalKind kind) const {
  if (!profile_->mixed()) return 0;
  const auto distinct = separate(*profile_, granularity, OnSingleTiles::kCountOne);
  if (!distinct) return 0;
  kind = effectiveKind(*profile_, granularity, kind);
  return sumClasses(*profile_, distinct, granularity, kind).cost.peakFastMemory;
}

bool CollapsedSimulator::quickIsExact() const { return !profile_->mixed(); }

StepAccount CollapsedSimulator::account(const Granularity& granularity,
                                        const Traversal& traversal) const {
  if (traversal.kind != TraversalKind::kExplicit) return account(granularity, traversal.kind);
  return walkOrder(*profile_, granularity, traversal.order);
}

StepAccount CollapsedSimulator::accountByWalk(const Granularity& granularity,
                                              TraversalKind kind) const {
  return walkRepresentatives(*profile_, granularity, kind);
}

TileFloors CollapsedSimulator::tileFloors(std::int64_t deepest) const {
  return floorsOf(*profile_, StepSums(*profile_), deepest);
}

std::int64_t CollapsedSimulator::peakFloor() const { return tilebeam::peakFloor(*profile_); }

StepCost CollapsedSimulator::cost(const Granularity& granularity, TraversalKind kind,
                                  StartCorner start) const {
  return account(granularity, kind, start).cost;
}

}  // namespace tilebeam
