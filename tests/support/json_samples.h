// Small files that tests bend out of shape.
#pragma once

#include <string>
#include <string_view>

#include "tilebeam/errors.h"

namespace tilebeam::test {

// Case 3 of the cost model, section 8: t0 -> op0 -> t1; t1 -> op1 -> t2; t1, t2 -> op2 -> t3.
inline const std::string kDiamond = R"({
  "widths": [128, 128, 128, 128],
  "heights": [128, 128, 128, 128],
  "op_types": ["Pointwise", "Pointwise", "Pointwise"],
  "inputs": [[0], [1], [1, 2]],
  "outputs": [[1], [2], [3]],
  "base_costs": [1500, 1500, 1500],
  "fast_memory_capacity": 50000,
  "slow_memory_bandwidth": 10,
  "native_granularity": [128, 128]
}
)";

// Case 3B: op 0 runs in both steps.
inline const std::string kDiamondSchedule = R"({
  "subgraphs": [[0, 1], [0, 2]],
  "granularities": [[128, 128, 1], [128, 128, 1]],
  "tensors_to_retain": [[2], []],
  "traversal_orders": [null, null],
  "subgraph_latencies": [3000, 3276.8]
}
)";

// Case 4: t0 times t1 in four tiles, in raster order (4A); with the order 0, 1, 3, 2 it is 4B.
inline const std::string kMatMul = R"({
  "widths": [128, 128, 128],
  "heights": [128, 128, 128],
  "op_types": ["MatMul"],
  "inputs": [[0, 1]],
  "outputs": [[2]],
  "base_costs": [1500],
  "fast_memory_capacity": 25000,
  "slow_memory_bandwidth": 10,
  "native_granularity": [128, 128]
}
)";
inline const std::string kMatMulSchedule = R"({
  "subgraphs": [[0]],
  "granularities": [[64, 64, 128]],
  "tensors_to_retain": [[]],
  "traversal_orders": [null]
}
)";

// `text` with the first `from` replaced, which must be there.
inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t start = text.find(from);
  if (start == std::string::npos) throw std::logic_error("not in the sample: " + std::string(from));
  return text.replace(start, from.size(), to);
}

// The message with which `parse(text)` refuses, or "accepted".
template <class Parse>
std::string refusal(Parse parse, std::string_view text) {
  try {
    parse(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace tilebeam::test
