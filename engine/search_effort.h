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

enum class RoundKind : std::uint8_t {
  kBeam,     // the whole graph
  kMerging,  // the incumbent's steps, by local changes; see StepMerging
  kWindows   // the same, and then runs of its steps
};

// Of local search on a window.
struct MergingEffort {
  std::size_t trials = 0;  // for each step, in which steps are taken apart and merged again
  std::size_t starts = 0;  // from single ops, beside the one from the incumbent's steps
};

struct RoundEffort {
  RoundKind kind = RoundKind::kBeam;
  std::size_t windowOps = 0;   // ops of a run
  std::size_t segmentOps = 0;  // the whole graph in segments of so many ops; 0: in one
  double shift = 1;            // length of the first run or segment, as a share of the others'
  GeneratorLimits generator;
  std::size_t beamWidth = 0;
  std::size_t seeds = 0;
  bool recomputation = false;
  MergingEffort merging;
  std::size_t completions = 0;  // times that the beam runs again with what the pool lacked
  PriceSource prices = PriceSource::kShares;
  bool freshPrices = false;  // sets grow by what ops cost alone, not by the prices so far
};

// Rounds of a level of effort.
inline constexpr std::int64_t kRoundsOfCycle = 4;

// Graphs of more ops are searched in segments.
inline constexpr std::size_t kMostOpsInOne = 256;

// Until the first cycle has ended.
std::int64_t roundsUntilCycleIsDone(std::size_t opCount);

// `round` counts from 1.
RoundEffort effortOfRound(std::int64_t round, std::size_t opCount);

}  // namespace tilebeam
