// Rules 3.4 and 3.5, and the form of a traversal order.
#include <algorithm>
#include <string>

#include "schedule_rules.h"
#include "step_demands.h"
#include "tilebeam/schedule_evaluator.h"

namespace tilebeam {
namespace {

std::optional<Violation> checkRange(const char* axis, std::int64_t value, std::int64_t limit,
                                    const char* limitName) {
  if (value >= 1 && value <= limit) return std::nullopt;
  return Violation{4, std::string("granularity ") + axis + " = " + std::to_string(value) +
                          " is outside 1 to " + limitName + " = " + std::to_string(limit)};
}

std::optional<Violation> checkPrologue(const char* side, const char* axis, std::int64_t value,
                                       std::int64_t least, std::int64_t k) {
  if (value >= least) return std::nullopt;
  return Violation{
      5, std::string("a Pointwise makes the ") + side + " of a MatMul whose reduction " +
             std::to_string(least) + " is split at k = " + std::to_string(k) + ", so " + axis +
             " must be at least " + std::to_string(least) + ", not " + std::to_string(value)};
}

}  // namespace

std::optional<Violation> checkGranularity(const Subgraph& subgraph,
                                          const Granularity& granularity) {
  const Hardware& hardware = subgraph.problem().hardware();
  const auto [w, h, k] = granularity;
  if (auto broken = checkRange("w", w, hardware.nativeWidth, "the native width")) return broken;
  if (auto broken = checkRange("h", h, hardware.nativeHeight, "the native height")) return broken;
  if (!subgraph.hasMatMul()) return std::nullopt;
  if (auto broken = checkRange("k", k, hardware.nativeDepth(), "the native depth")) return broken;
  if (auto broken =
          checkRange("k", k, subgraph.minReduction(), "the least reduction in the step")) {
    return broken;
  }
  if (auto broken = checkPrologue("LHS", "w", w, subgraph.prologueWidth(k), k)) return broken;
  return checkPrologue("RHS", "h", h, subgraph.prologueHeight(k), k);
}

std::optional<Violation> checkTraversal(const Subgraph& subgraph, const Step& step) {
  if (step.traversal.kind != TraversalKind::kExplicit) return std::nullopt;
  const std::int64_t columns = ceilDiv(subgraph.gridWidth(), step.granularity.width);
  const std::int64_t rows = ceilDiv(subgraph.gridHeight(), step.granularity.height);
  const auto& order = step.traversal.order;
  const auto listed = static_cast<std::int64_t>(order.size());
  const std::string grid = std::to_string(columns) + " x " + std::to_string(rows) + " tiles";
  if (listed / columns != rows || listed % columns != 0) {
    return Violation{
        0, "the traversal order lists " + std::to_string(listed) + " tiles, the grid has " + grid};
  }
  std::vector<bool> seen(order.size(), false);
  for (const std::int64_t tile : order) {
    if (tile < 0 || tile >= listed) {
      return Violation{
          0, "the traversal order lists tile " + std::to_string(tile) + ", the grid has " + grid};
    }
    if (seen[static_cast<std::size_t>(tile)]) {
      return Violation{0, "the traversal order lists tile " + std::to_string(tile) + " twice"};
    }
    seen[static_cast<std::size_t>(tile)] = true;
  }
  return std::nullopt;
}

}  // namespace tilebeam
