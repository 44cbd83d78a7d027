// Turns any bytes into a small problem and a schedule for it, most of them nearly valid, so that a
// fuzzer spends its time behind the parser: in the rules and in the simulators.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "tilebeam/problem.h"
#include "tilebeam/schedule.h"

namespace tilebeam::fuzz {

struct StructuredCase {
  Problem problem;
  Schedule schedule;
};

// None if the bytes say nothing of any op.
std::optional<StructuredCase> structuredCase(std::span<const std::uint8_t> bytes);

}  // namespace tilebeam::fuzz
