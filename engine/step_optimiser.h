// The granularity search: the best (w, h, k) and traversal of one step in its context.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "tilebeam/features.h"
#include "tilebeam/step_simulator.h"

namespace tilebeam {

// Other corners than the first tile's are tried on grids of so many tiles; of more, the first tile
// matters little.
inline constexpr std::int64_t kMostTilesForCorners = 32;

// Of a latency: what is not below this share of it is no better. Sums of the same numbers in
// different order differ by less.
inline constexpr double kWorthwhile = 1 - 1e-12;

// A step's best known form. latency is infinite if it fits at no granularity.
struct BestStep {
  double latency = std::numeric_limits<double>::infinity();
  Granularity granularity;
  TraversalKind traversal = TraversalKind::kRaster;
  StartCorner start;

  bool feasible() const { return latency < std::numeric_limits<double>::infinity(); }
};

// Not thread-safe; cheap to keep one per thread.
class StepOptimiser {
 public:
  // `without`: snakes or fine tiles may be left out.
  explicit StepOptimiser(FeatureSet without = {}) : without_(without) {}

  // The best granularity for `subgraph` (no violation) in its context. `extraResident` elements of
  // fast memory are taken up besides, by tensors carried in that the step does not take. What costs
  // `limit` or more counts as what does not fit.
  BestStep optimise(const Subgraph& subgraph, const StepContext& context, DepthReading depth,
                    std::int64_t extraResident = 0,
                    double limit = std::numeric_limits<double>::infinity());

  // Simulator calls so far.
  std::int64_t evaluations() const { return evaluations_; }

 private:
  bool found() const { return best_.granularity.width > 0; }
  void searchGrid();
  void tryFewestThatFit(std::int64_t k);
  template <class Tiles>
  std::int64_t fewestThatFit(std::int64_t low, std::int64_t high, std::int64_t k,
                             const Tiles& tiles);
  void refine();
  void tryTiles(std::int64_t columns, std::int64_t rows);
  void tryClipped(std::int64_t w, std::int64_t h, std::int64_t columns, std::int64_t rows);
  void tryTile(std::int64_t w, std::int64_t h);
  void tryDepths(std::int64_t w, std::int64_t h);
  void tryDepth(std::int64_t w, std::int64_t h, std::int64_t k);
  double evaluate(const Granularity& g, TraversalKind kind);
  void tryPromising(const StepContext& context, DepthReading depth, std::int64_t extraResident,
                    double limit);
  bool maySnake(const Granularity& g) const;
  void scoreExactly();
  void tryOrders(const Granularity& g);
  bool fits(const Granularity& g);
  std::int64_t deepestThatFits(std::int64_t w, std::int64_t h, std::int64_t low, std::int64_t high);
  StepCost costOf(const Granularity& g, TraversalKind kind) const;
  bool isFarTooLarge(const Granularity& g, TraversalKind kind) const;
  void tryCorners(const Granularity& g, TraversalKind kind);
  void preferRaster();

  FeatureSet without_;
  const Subgraph* subgraph_ = nullptr;
  const CollapsedSimulator* simulator_ = nullptr;
  Hardware hardware_;
  std::int64_t capacity_ = 0;
  bool exact_ = false;  // compare by exact costs, not by upper bounds
  bool retains_ = false;
  bool smallGrid_ = false;  // all is tried
  std::int64_t deepest_ = 0;
  TileFloors floors_;
  double floor_ = 0;
  BestStep best_;
  std::vector<std::uint64_t> tried_;
  std::int64_t evaluations_ = 0;
};

}  // namespace tilebeam
