#include "importer/hardware_file.h"

#include <gtest/gtest.h>

#include "support/json_samples.h"

namespace tilebeam::test {
namespace {

const std::string kHardware = R"({"native_granularity": [64, 32], "fast_memory_capacity": 5000,
  "slow_memory_bandwidth": 12.5, "matmul_cost": 7, "pointwise_cost": 0.5})";

std::string refusedHardware(std::string_view from, std::string_view to) {
  return refusal(importer::parseHardware, replaced(kHardware, from, to));
}

TEST(HardwareFile, IsRead) {
  const importer::HardwareDescription h = importer::parseHardware(kHardware);
  EXPECT_EQ(h.hardware.nativeWidth, 64);
  EXPECT_EQ(h.hardware.nativeHeight, 32);
  EXPECT_EQ(h.hardware.fastMemoryCapacity, 5000);
  EXPECT_EQ(h.hardware.slowMemoryBandwidth, 12.5);
  EXPECT_EQ(h.matMulCost, 7);
  EXPECT_EQ(h.pointwiseCost, 0.5);
}

TEST(HardwareFile, IsRefused) {
  EXPECT_EQ(refusedHardware("matmul_cost", "mamtul_cost"), "matmul_cost: the key is missing");
  EXPECT_EQ(refusedHardware("[64, 32]", "[64]"), "native_granularity: must be two integers, not 1");
  EXPECT_EQ(refusedHardware("[64, 32]", "[64, 0]"),
            "native_granularity: must be at least 1, not 0");
  EXPECT_EQ(refusedHardware("5000", "-1"), "fast_memory_capacity: must be at least 1, not -1");
  EXPECT_EQ(refusedHardware("12.5", "0"), "slow_memory_bandwidth: must be from 1e-100 to 1e100");
  EXPECT_EQ(refusedHardware("0.5", "-0.5"), "pointwise_cost: must be from 0 to 1e100");
}

}  // namespace
}  // namespace tilebeam::test
