// What a problem is drawn from beside its structure: the native granularity, the base costs, and
// whether its sizes are multiples of the native ones.
#pragma once

#include <cstdint>

#include "benchmarks/generator/rng.h"

namespace tilebeam::generator {

enum class Sizes : std::uint8_t {
  kEven,    // native 128 x 128, powers of two
  kRagged,  // an oblong native tile, and no edge a multiple of either of its sides
  kTiny     // native sides of 2 to 8, edges of 1 to 24
};

// Base costs by the role of an op.
struct Costs {
  double projection = 0;   // MatMul by weights
  double contraction = 0;  // MatMul of two activations
  double activation = 0;   // Pointwise of one input
  double add = 0;          // Pointwise of several inputs
};

struct Setting {
  Sizes sizes = Sizes::kEven;
  std::int64_t nativeWidth = 0;
  std::int64_t nativeHeight = 0;
  Costs costs;
};

Setting drawSetting(Sizes sizes, Rng& rng);

}  // namespace tilebeam::generator
