// A step in its context, reduced to the coefficients that its cost is made of. Private to the
// simulator.
//
// Every slice of an iteration covers, along each axis, the tile, the k-step or all of its tensor.
// So the area of all slices is  a + b * (rows) + c * (columns) + d * rows * columns  for a tile,
// with coefficients that depend on the k-step alone; and compute, being padded to native, depends
// on nothing but the k-step. Slices whose demands end at the same reduction form a ReductionGroup.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "step_demands.h"

namespace tilebeam {

inline constexpr int kRows = 0;
inline constexpr int kColumns = 1;

struct ReductionGroup {
  std::int64_t reduction = 0;

  // Compute per iteration: fixed + perElement * t + perRowTile * ceil(t / nh), t the k-step's
  // length.
  double fixed = 0;
  double perElement = 0;
  double perRowTile = 0;

  // Slice areas. Along one tile axis: full[axis] times the tile's length, step[axis] times t and
  // the tile's length. Along none: fullArea, and stepLength times t.
  std::array<std::int64_t, 2> full{};
  std::array<std::int64_t, 2> step{};
  std::int64_t fullArea = 0;
  std::int64_t stepLength = 0;
};

struct StepProfile {
  Hardware hardware;
  std::int64_t gridWidth = 0;
  std::int64_t gridHeight = 0;
  std::int64_t maxRootReduction = 0;
  std::int64_t residentArea = 0;
  std::int64_t storedCount = 0;
  std::int64_t retainedCount = 0;
  double pointwiseCost = 0;
  std::int64_t tileSlices = 0;         // external inputs of Pointwise ops at tile position
  std::vector<ReductionGroup> groups;  // by decreasing reduction
  std::vector<std::int64_t> rootReductions;
  StepDemands demands;  // sorted by tensor
  // Demands of one tensor over two kinds of rectangle, which may coincide; by index.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> mixedPairs;

  bool mixed() const { return !mixedPairs.empty(); }

  StepProfile(const Subgraph& subgraph, const StepContext& context, DepthReading depth);

  std::int64_t kSteps(std::int64_t k) const {
    return maxRootReduction == 0 ? 1 : ceilDiv(maxRootReduction, k);
  }
  std::int64_t accumulators(std::int64_t k) const {
    std::int64_t n = 0;
    for (const std::int64_t reduction : rootReductions) n += k < reduction ? 1 : 0;
    return n;
  }

 private:
  ReductionGroup& group(std::int64_t reduction);
  void findMixedPairs();
};

// Adds `d`, which ends with the group, to its sums; times -1: takes it out.
void addDemand(ReductionGroup& group, const Demand& d, int times, const Hardware& hardware);

}  // namespace tilebeam
