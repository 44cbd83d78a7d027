// Every set of ops that may form a step, for graphs of up to 64 ops: connected (cost model, 3.2),
// with sinks of one shape (3.3), and without two ops that no granularity lets share a step (3.5).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "tilebeam/problem.h"

namespace tilebeam {

using OpMask = std::uint64_t;  // bit i: op i

inline constexpr std::size_t kMaxMaskOps = 64;

// Empty if there are more than `limit` connected sets, or the graph has too many ops, or once
// `stop` says true.
std::optional<std::vector<OpMask>> connectedSets(
    const Problem& problem, std::size_t limit,
    const std::function<bool()>& stop = [] { return false; });

}  // namespace tilebeam
