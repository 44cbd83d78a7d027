#pragma once

#include <cstdint>

namespace tilebeam {

// How many parts of length b > 0 it takes to cut up a > 0.
inline std::int64_t ceilDiv(std::int64_t a, std::int64_t b) { return (a - 1) / b + 1; }

}  // namespace tilebeam
