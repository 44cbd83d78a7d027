// What one tile of a step takes by itself, with real rectangles: all but what it finds there of the
// tile before. Private to the simulator.
#pragma once

#include <cstdint>
#include <vector>

#include "iteration_demands.h"

namespace tilebeam {

struct TileAccount {
  std::int64_t area = 0;
  std::int64_t peak = 0;  // of fast memory, beside what other tiles have left
  // The first k-step: its compute, its stores, its input slices.
  double compute = 0;
  std::int64_t stores = 0;
  std::vector<Rectangle> slices;
  double rest = 0;  // time of all others

  // Of the first k-step, if it loads so much.
  double firstTime(std::int64_t loads, const Hardware& hardware) const;
  std::int64_t sliceArea() const;
};

class TileAccounts {
 public:
  TileAccounts(const StepProfile& profile, const Granularity& g, const GridAxis& rows,
               const GridAxis& columns);

  // Valid until the next call.
  const TileAccount& of(const Tile& tile);

  IterationDemands& demands() { return demands_; }

 private:
  void addIteration(std::int64_t j, double compute, double times);
  void notePeak(std::int64_t j, std::int64_t set);
  bool isLast(std::int64_t j) const { return j == demands_.kSteps() - 1; }

  const StepProfile& profile_;
  Granularity g_;
  GridAxis rows_;
  GridAxis columns_;
  IterationDemands demands_;
  Places steps_;
  std::int64_t accumulators_;
  std::vector<Place> places_;
  std::vector<Rectangle> current_;
  std::vector<Rectangle> previous_;
  TileAccount account_;
};

// The elements of `slices` that `held` has neither as they are nor as a part of a whole tensor.
std::int64_t missingArea(const std::vector<Rectangle>& slices, const std::vector<Rectangle>& held);

}  // namespace tilebeam
