// What one step costs (docs/cost-model.md, sections 4, 5 and 7), in two ways that agree:
//
// - simulateLiteral: iteration by iteration, word for word; any traversal order. The authority.
// - CollapsedSimulator: for the named traversals, iterations fall into few classes, and the sum
//   takes a handful of evaluations whatever the tile count. This is what the search runs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tilebeam/schedule.h"
#include "tilebeam/start_corner.h"
#include "tilebeam/subgraph.h"

namespace tilebeam {

// What a step's cost depends on beside its subgraph and granularity.
struct StepContext {
  std::vector<TensorId> resident;  // retained by the step before, used here or not; sorted
  std::vector<TensorId> stored;    // produced here and stored (section 6)
  std::vector<TensorId> retained;  // produced here and retained
};

struct StepCost {
  double latency = 0;               // time units
  std::int64_t peakFastMemory = 0;  // elements; the largest working set of any iteration

  friend bool operator==(const StepCost&, const StepCost&) = default;
};

// The per-step account. Loads and stores are element counts; exact up to 2^53.
struct StepAccount {
  StepCost cost;
  double computeTime = 0;  // sum of the iterations' compute
  double memoryTime = 0;   // sum of (loads + stores) / bandwidth
  double loads = 0;
  double stores = 0;
};

// Preconditions of both simulators: the subgraph has no violation, the granularity obeys rules 3.4
// and 3.5, an explicit order is a permutation of the tiles. Neither looks at the capacity.
StepAccount simulateLiteral(const Subgraph& subgraph, const Granularity& granularity,
                            const Traversal& traversal, const StepContext& context,
                            DepthReading depth);

// What a step takes at least, by how many tiles it is cut in: whatever the traversal, the capacity,
// and k, up to the one that it was made for.
struct TileFloors {
  double work = 0;       // compute of a tile
  double perTile = 0;    // traffic: memory time per tile,
  double perColumn = 0;  // per column of tiles,
  double perRow = 0;     // per row of tiles,
  double once = 0;       // and once

  double at(std::int64_t columns, std::int64_t rows) const {
    const auto c = static_cast<double>(columns);
    const auto r = static_cast<double>(rows);
    return std::max(work * c * r, perTile * c * r + perColumn * c + perRow * r + once);
  }
};

// Holds what is needed of a subgraph in its context; scoring a granularity then locks nothing and
// shares nothing mutable, so any number of threads may call it at once. It allocates nothing
// either, but where a tensor is demanded over two rectangles that meet on single tiles.
class CollapsedSimulator {
 public:
  // The subgraph need not outlive the simulator.
  CollapsedSimulator(const Subgraph& subgraph, const StepContext& context, DepthReading depth);
  ~CollapsedSimulator();
  CollapsedSimulator(CollapsedSimulator&&) noexcept;
  CollapsedSimulator& operator=(CollapsedSimulator&&) noexcept;

  // `kind` is not kExplicit.
  StepCost cost(const Granularity& granularity, TraversalKind kind, StartCorner start = {}) const;
  StepAccount account(const Granularity& granularity, TraversalKind kind,
                      StartCorner start = {}) const;

  // No less than cost(), in latency and in peak, and the same unless rectangles of one tensor meet
  // on single tiles: what they share there is counted twice. Always fast.
  StepCost quickCost(const Granularity& granularity, TraversalKind kind) const;
  bool quickIsExact() const;  // whatever the granularity
  // No more than cost()'s peak; 0 where it does not know better. Always fast.
  std::int64_t leastPeak(const Granularity& granularity, TraversalKind kind) const;

  // No granularity or traversal takes less fast memory.
  std::int64_t peakFloor() const;

  // Any traversal; an explicit one takes time proportional to its tiles.
  StepAccount account(const Granularity& granularity, const Traversal& traversal) const;

  // For granularities whose k is at most `deepest` (>= 1).
  TileFloors tileFloors(std::int64_t deepest) const;

  // The same account from the general path alone (see representative_walk.h); for tests.
  StepAccount accountByWalk(const Granularity& granularity, TraversalKind kind) const;

 private:
  struct Profile;
  std::unique_ptr<const Profile> profile_;
};

}  // namespace tilebeam
