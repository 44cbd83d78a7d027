// The fast memory and the bandwidth that go with a graph.
#pragma once

#include <span>

#include "benchmarks/generator/generator.h"
#include "benchmarks/generator/setting.h"
#include "tilebeam/problem.h"

namespace tilebeam::generator {

Hardware drawHardware(const Setting& setting, std::span<const Tensor> tensors,
                      std::span<const Op> ops, Memory memory, Rng& rng);

}  // namespace tilebeam::generator
