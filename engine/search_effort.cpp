#include "engine/search_effort.h"

#include <algorithm>
#include <array>

#include "engine/limits.h"

namespace tilebeam {
namespace {

struct Level {
  std::size_t maxOps;
  std::size_t keepPerSize;
  std::size_t siblings;
  std::size_t seeds;
  std::size_t beamWidth;
};

// The first levels are for graphs too large to begin with the later ones.
constexpr std::array<Level, 8> kLevels{{{2, 2, 2, 2, 1},
                                        {4, 2, 3, 2, 2},
                                        {6, 3, 4, 3, 4},
                                        {8, 4, 6, 4, 16},
                                        {16, 3, 5, 4, 32},
                                        {24, 4, 6, 5, 64},
                                        {kMaxCandidateOps, 6, 8, 6, 256},
                                        {kMaxCandidateOps, 10, 12, 8, 1024}}};
constexpr std::size_t kFirstLevel = 3;

std::size_t firstLevel(std::size_t opCount) {
  std::size_t level = kFirstLevel;
  for (std::size_t n = 400; n < opCount && level > 0; n *= 6) --level;
  return level;
}

// Up to so many ops, making ops again is tried at once.
constexpr std::size_t kSmallGraph = 24;

// The first levels of graphs that begin beyond them, beams only, and then local changes to what
// they have found: a first cycle may take a second where steps are dear to score, and a schedule
// that is nearly as good takes hardly any time. What a round has found counts when it has ended.
constexpr std::int64_t kOpeningBeams = 2;
constexpr std::int64_t kOpeningRounds = kOpeningBeams + 4;

bool hasOpening(std::size_t opCount) {
  constexpr std::size_t kFew = 12;  // of which any level takes a moment
  return opCount > kFew && firstLevel(opCount) == kFirstLevel;
}

// Trials are the quickest way to better steps of many ops, and to what these retain. Larger graphs
// have too many steps. What starts anew is led into other ways than the incumbent's. Beams take
// longer from cycle to cycle, and so do trials: the more of them, the better what they end in.
MergingEffort mergingEffort(std::size_t opCount, RoundKind kind, std::size_t cycle) {
  constexpr std::size_t kMostOpsForOne = 2048;
  constexpr std::size_t kMostDoublings = 6;
  if (kind == RoundKind::kBeam) return {};
  if (opCount > kMostOpsInOne) return {opCount <= kMostOpsForOne ? 1U : 0U, 0};
  return kind == RoundKind::kMerging
             ? MergingEffort{4, 0}
             : MergingEffort{std::size_t{32} << std::min<std::size_t>(cycle, kMostDoublings), 2};
}

}  // namespace

std::int64_t roundsUntilCycleIsDone(std::size_t opCount) {
  return kRoundsOfCycle + (hasOpening(opCount) ? kOpeningRounds : 0);
}

RoundEffort effortOfRound(std::int64_t round, std::size_t opCount) {
  // A cycle of rounds a level: the whole graph with prices from shares, then with the incumbent's,
  // then windows, and windows again. Of two rounds alike, each straddles the cuts of the other.
  const std::int64_t inCycles = round - 1 - (hasOpening(opCount) ? kOpeningRounds : 0);
  const std::int64_t phase = std::max<std::int64_t>(0, inCycles) % kRoundsOfCycle;
  const std::size_t first = firstLevel(opCount);
  const auto cycle = static_cast<std::size_t>(std::max<std::int64_t>(0, inCycles) / kRoundsOfCycle);
  const bool isOpeningBeam = inCycles < kOpeningBeams - kOpeningRounds;
  const std::size_t level =
      isOpeningBeam ? first - static_cast<std::size_t>(kOpeningBeams - round + 1) : first + cycle;
  RoundEffort effort;
  effort.kind = phase < 2 ? RoundKind::kBeam : RoundKind::kWindows;
  if (inCycles < 0 && !isOpeningBeam) effort.kind = RoundKind::kMerging;
  effort.shift = phase % 2 == 0 ? 1 : 0.5;
  effort.prices = phase == 0 ? PriceSource::kShares : PriceSource::kIncumbent;
  effort.freshPrices = inCycles <= 0;

  // Windows are small enough for more thorough search than their level's.
  const std::size_t depth =
      effort.kind == RoundKind::kWindows ? std::max(level + 1, kFirstLevel) : level;
  const Level& limits = kLevels[std::min(depth, kLevels.size() - 1)];
  effort.generator.maxOps = limits.maxOps;
  effort.generator.keepPerSize = limits.keepPerSize;
  effort.generator.siblings = limits.siblings;
  effort.seeds = limits.seeds;
  // Beyond the last level only beams and windows widen.
  const std::size_t beyond = depth < kLevels.size() ? 0 : depth - kLevels.size() + 1;
  effort.beamWidth = limits.beamWidth << std::min<std::size_t>(beyond, 6);
  effort.windowOps = std::min<std::size_t>(128, 24 + 16 * cycle);
  if (effort.kind == RoundKind::kBeam && opCount > kMostOpsInOne) {
    effort.segmentOps = std::min<std::size_t>(192, 64 + 32 * cycle);
  }
  effort.merging = mergingEffort(opCount, effort.kind, cycle);
  effort.completions = depth <= kFirstLevel ? 0 : std::min<std::size_t>(2, depth - kFirstLevel);
  // Making ops again rarely pays, and it multiplies candidates and moves; the incumbent's prices
  // tell where it does.
  effort.recomputation = effort.kind == RoundKind::kBeam && effort.segmentOps == 0 &&
                         (opCount <= kSmallGraph ||
                          (effort.prices == PriceSource::kIncumbent && level >= kFirstLevel + 2));
  effort.generator.recomputation = effort.recomputation;
  return effort;
}

}  // namespace tilebeam
