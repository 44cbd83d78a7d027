#include "engine/search_effort.h"

#include <algorithm>

#include "engine/limits.h"

namespace tilebeam {
namespace {

// Rounds that a graph of this size skips downwards: each level halves sizes and widths.
std::int64_t narrowing(std::size_t opCount) {
  std::int64_t levels = 0;
  for (std::size_t n = 400; n < opCount; n *= 4) ++levels;
  return levels;
}

}  // namespace

RoundEffort effortOfRound(std::int64_t round, std::size_t opCount) {
  RoundEffort effort;
  // Two rounds a level: first with prices from shares, then with the incumbent's.
  const std::int64_t level = (round - 1) / 2 - narrowing(opCount);
  effort.prices = round % 2 == 1 ? PriceSource::kShares : PriceSource::kIncumbent;
  const auto grow = [level](std::int64_t base, std::int64_t perLevel, std::int64_t least,
                            std::int64_t most) {
    return static_cast<std::size_t>(std::clamp(base + perLevel * level, least, most));
  };
  effort.generator.maxOps =
      grow(8, level < 0 ? 2 : 1, 2, static_cast<std::int64_t>(kMaxCandidateOps));
  effort.generator.keepPerSize = grow(6, level < 0 ? 2 : 3, 2, 40);
  effort.generator.siblings = grow(6, 2, 3, 24);
  effort.seeds = grow(4, 1, 2, 16);
  // Making ops again rarely pays and doubles the moves.
  effort.recomputation = level >= 1 || opCount <= 40;
  effort.generator.recomputation = effort.recomputation;
  const std::int64_t shift = std::clamp<std::int64_t>(4 + 2 * level, 0, 16);
  effort.beamWidth = std::size_t{1} << shift;
  return effort;
}

}  // namespace tilebeam
