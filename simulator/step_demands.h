// What the iterations of a step demand, with ranges as symbols in place of numbers: which strips
// are loaded or made on the spot, whatever the granularity. Private to the simulator.
#pragma once

#include <cstdint>
#include <vector>

#include "ceil_div.h"
#include "tilebeam/step_simulator.h"
#include "tilebeam/subgraph.h"

namespace tilebeam {

// The range that a demand covers along one axis of its tensor.
enum class Extent : std::uint8_t {
  kTile,  // the tile's rows (or columns)
  kStep,  // the k-step's part of the reduction, which here is this whole axis
  kFull   // all of it
};

enum class DemandKind : std::uint8_t {
  kSlice,      // an external tensor, loaded
  kLeftStrip,  // a produced tensor, made on the spot
  kRightStrip
};

struct Demand {
  // Tensors are numbered anew, by first mention: steps that differ in nothing but their tensors'
  // names then come out equal to the last bit, whatever the order of summation.
  std::int32_t tensor = 0;
  DemandKind kind = DemandKind::kSlice;
  Extent rows = Extent::kFull;
  Extent columns = Extent::kFull;
  bool lastStepOnly = false;   // a tile-position Pointwise's input
  std::int64_t reduction = 0;  // made while j * k < reduction; 0 if lastStepOnly
  std::int64_t height = 0;     // of the tensor
  std::int64_t width = 0;
  double cost = 0;        // strips: base cost, times the share of the reduction for a MatMul
  bool byMatMul = false;  // strips: made by a MatMul
};

// A MatMul at tile position: its compute for each element of the reduction range.
struct RootWork {
  std::int64_t reduction = 0;
  double costPerElement = 0;
};

struct StepDemands {
  std::vector<Demand> demands;  // each symbolic (tensor, rectangle, kind) once
  std::vector<RootWork> roots;  // by decreasing reduction
  double pointwiseCost = 0;     // in the last k-step of each tile
};

// Demands of resident tensors are left out.
StepDemands findDemands(const Subgraph& subgraph, const StepContext& context, DepthReading depth);

// What making the strip `d` costs when it has this many rows and columns.
double stripCost(const Demand& d, std::int64_t rows, std::int64_t columns,
                 const Hardware& hardware);

}  // namespace tilebeam
