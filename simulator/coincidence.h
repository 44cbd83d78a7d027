// Where one tensor is demanded over two kinds of rectangle, the two may cover the same range:
// always, never, or on single tiles. Private to the simulator.
//
// For most granularities it is always or never, and then the class sums hold with what is demanded
// twice, or beside its whole tensor, left out. Otherwise representative_walk.h has the answer.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "step_geometry.h"
#include "step_profile.h"

namespace tilebeam {

// A profile's slices and strips without those that another demand covers.
struct DistinctDemands {
  static constexpr std::size_t kMaxGroups = 8;
  std::array<ReductionGroup, kMaxGroups> groups;
  std::size_t groupCount = 0;
  std::int64_t tileSlices = 0;
  // The profile's mixed pairs, by index, that meet on single tiles only and were both kept.
  std::uint64_t kept = 0;
};

enum class OnSingleTiles : std::uint8_t {
  kGiveUp,     // where rectangles coincide on single tiles only: no result
  kCountBoth,  // as if they never did: sums over the result are upper bounds
  kCountOne    // as if they always did: areas over the result are lower bounds
};

// Empty if it gave up, or there is more than fits above.
std::optional<DistinctDemands> separate(const StepProfile& profile, const Granularity& g,
                                        OnSingleTiles onSingleTiles);

// Elements that the sums over all demands count twice, or anew, at most, although they are loaded
// once: over the whole step, for mixed pairs (bits of `pairs`) of a split root's strips and the
// tiles of Pointwise ops. Empty if some pair is of another kind.
std::optional<std::int64_t> savedOnSingleTiles(const StepProfile& profile, const Granularity& g,
                                               std::uint64_t pairs);

}  // namespace tilebeam
