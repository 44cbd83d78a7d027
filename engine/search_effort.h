// How wide each round of the search looks. Rounds widen; large graphs start narrower, so that every
// graph has a good schedule early whatever its size.
#pragma once

#include <cstdint>

#include "engine/candidate_generator.h"

namespace tilebeam {

enum class PriceSource : std::uint8_t {
  kShares,    // each op's share of the cheapest candidate that holds it
  kIncumbent  // each op's share of its step in the incumbent
};

struct RoundEffort {
  GeneratorLimits generator;
  std::size_t beamWidth = 0;
  std::size_t seeds = 0;
  bool recomputation = false;
  PriceSource prices = PriceSource::kShares;
};

// `round` counts from 1.
RoundEffort effortOfRound(std::int64_t round, std::size_t opCount);

}  // namespace tilebeam
