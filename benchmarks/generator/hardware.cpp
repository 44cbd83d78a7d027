#include "benchmarks/generator/hardware.h"

#include <algorithm>
#include <vector>

#include "tilebeam/schedule.h"

namespace tilebeam::generator {
namespace {

// The contest's small problems are tight and slow, its large ones roomy and fast.
constexpr std::size_t kContestSmall = 24;   // ops
constexpr std::size_t kContestMedium = 60;  // ops

// At most what a step of this op alone holds at once: the input slices and the output's tile.
std::int64_t workingSet(const Op& op, std::span<const Tensor> tensors, const Granularity& g) {
  const Tensor& out = tensors[op.output.index()];
  const std::int64_t columns = std::min(g.width, out.width);
  const std::int64_t rows = std::min(g.height, out.height);
  if (!op.isMatMul()) {
    return static_cast<std::int64_t>(op.inputs.size() + 1) * rows * columns;
  }
  const std::int64_t depth = std::min(g.depth, tensors[op.inputs[0].index()].width);
  return rows * depth + depth * columns + rows * columns;
}

// Working sets over all ops.
struct Needs {
  std::int64_t typical = 0;  // at native granularity; three quarters of the MatMuls take as much
  std::int64_t largest = 0;  // at native granularity
  std::int64_t least = 0;    // what every op can do with
};

// Tiny problems shall be as tight as they can be; others get by without absurdly small tiles.
Granularity smallestGranularity(const Setting& setting) {
  if (setting.sizes == Sizes::kTiny) return {1, 1, 1};
  return {setting.nativeWidth / 2, setting.nativeHeight / 2, setting.nativeWidth / 4};
}

Needs measure(const Setting& setting, std::span<const Tensor> tensors, std::span<const Op> ops) {
  const Granularity native{setting.nativeWidth, setting.nativeHeight, setting.nativeWidth};
  const Granularity smallest = smallestGranularity(setting);
  const bool anyMatMul =
      std::any_of(ops.begin(), ops.end(), [](const Op& op) { return op.isMatMul(); });
  Needs needs;
  std::vector<std::int64_t> relevant;
  for (const Op& op : ops) {
    const std::int64_t atNative = workingSet(op, tensors, native);
    needs.largest = std::max(needs.largest, atNative);
    needs.least = std::max(needs.least, workingSet(op, tensors, smallest));
    if (op.isMatMul() == anyMatMul) relevant.push_back(atNative);
  }
  const auto quartile = relevant.begin() + static_cast<std::ptrdiff_t>(relevant.size() / 4);
  std::nth_element(relevant.begin(), quartile, relevant.end());
  needs.typical = *quartile;
  return needs;
}

std::int64_t drawCapacity(const Needs& needs, std::size_t ops, Memory memory, Rng& rng) {
  switch (memory) {
    case Memory::kTight:
      return needs.typical * rng.between(55, 95) / 100;
    case Memory::kRoomy:
      return needs.largest * rng.between(4, 12);
    case Memory::kContest:
      break;
  }
  if (ops < kContestSmall) return needs.typical * rng.between(60, 125) / 100;
  if (ops < kContestMedium) return needs.typical * rng.between(350, 550) / 100;
  return needs.typical * rng.between(700, 1600) / 100;
}

double drawBandwidth(Sizes sizes, std::size_t ops, Memory memory, Rng& rng) {
  if (sizes == Sizes::kTiny) return rng.pick({1.0, 2.0, 4.0, 7.0});
  if (memory != Memory::kContest)
    return rng.pick({10.0, 15.0, 20.0, 25.0, 35.0, 50.0, 80.0, 100.0});
  if (ops < kContestSmall) return rng.pick({10.0, 15.0, 20.0});
  if (ops < kContestMedium) return rng.pick({20.0, 25.0, 30.0});
  return rng.pick({35.0, 50.0, 60.0, 80.0, 100.0});
}

std::int64_t tidy(std::int64_t capacity, Sizes sizes) {
  constexpr std::int64_t kRound = 1000;
  if (sizes == Sizes::kRagged) return capacity | 1;
  return capacity < 20 * kRound ? capacity : capacity / kRound * kRound;
}

}  // namespace

Hardware drawHardware(const Setting& setting, std::span<const Tensor> tensors,
                      std::span<const Op> ops, Memory memory, Rng& rng) {
  const Needs needs = measure(setting, tensors, ops);
  Hardware hardware;
  hardware.nativeWidth = setting.nativeWidth;
  hardware.nativeHeight = setting.nativeHeight;
  hardware.slowMemoryBandwidth = drawBandwidth(setting.sizes, ops.size(), memory, rng);
  hardware.fastMemoryCapacity =
      std::max(needs.least, tidy(drawCapacity(needs, ops.size(), memory, rng), setting.sizes));
  return hardware;
}

}  // namespace tilebeam::generator
