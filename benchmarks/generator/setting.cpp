#include "benchmarks/generator/setting.h"

#include <cmath>

namespace tilebeam::generator {
namespace {

constexpr double kEvenTileArea = 128 * 128;

// Next to the bandwidths of hardware.cpp, light MatMuls are bound by memory and heavy ones by
// compute; in between it depends on the schedule.
double drawMatMulCost(int weight, Rng& rng) {
  switch (weight) {
    case 0:
      return rng.pick({500.0, 800.0, 1000.0, 1500.0});
    case 1:
      return rng.pick({1500.0, 2000.0, 2500.0, 3000.0, 4000.0});
    default:
      return rng.pick({4000.0, 5000.0, 6000.0, 8000.0, 10000.0});
  }
}

Costs drawCosts(Rng& rng) {
  const auto weight = static_cast<int>(rng.below(3));
  Costs costs;
  costs.projection = drawMatMulCost(weight, rng);
  costs.contraction = rng.chance(60) ? costs.projection : drawMatMulCost(weight, rng);
  costs.activation = rng.pick({100.0, 200.0, 300.0, 500.0, 800.0});
  costs.add = rng.pick({100.0, 200.0, 300.0});
  return costs;
}

// In quarters, so that they are fractions now and then, yet exact.
double scaled(double cost, double factor) { return std::round(cost * factor * 4) / 4; }

Setting drawRagged(Rng& rng) {
  struct Side {
    std::int64_t width, height;
  };
  const Side native = rng.pick({Side{96, 64}, Side{64, 96}, Side{160, 96}, Side{72, 120},
                                Side{128, 48}, Side{48, 144}, Side{100, 60}, Side{112, 128}});
  const Costs even = drawCosts(rng);
  const double factor = static_cast<double>(native.width * native.height) / kEvenTileArea;
  const Costs costs{scaled(even.projection, factor), scaled(even.contraction, factor),
                    scaled(even.activation, factor), scaled(even.add, factor)};
  return {Sizes::kRagged, native.width, native.height, costs};
}

Setting drawTiny(Rng& rng) {
  Setting setting{Sizes::kTiny, 0, 0, {}};
  setting.nativeWidth = rng.between(2, 8);
  setting.nativeHeight = rng.between(2, 8);
  setting.costs.projection = rng.pick({1.0, 3.0, 8.0, 20.0, 50.0});
  setting.costs.contraction = rng.pick({2.0, 5.0, 13.0, 40.0});
  setting.costs.activation = rng.pick({0.0, 1.0, 2.5, 7.0, 20.0});
  setting.costs.add = rng.pick({0.5, 1.0, 4.0, 10.0});
  return setting;
}

}  // namespace

Setting drawSetting(Sizes sizes, Rng& rng) {
  switch (sizes) {
    case Sizes::kRagged:
      return drawRagged(rng);
    case Sizes::kTiny:
      return drawTiny(rng);
    case Sizes::kEven:
      break;
  }
  return {Sizes::kEven, 128, 128, drawCosts(rng)};
}

}  // namespace tilebeam::generator
