#include "tilebeam/lower_bound.h"

#include <algorithm>

#include "block_traffic.h"
#include "bound_structure.h"
#include "step_demands.h"

namespace tilebeam {
namespace {

constexpr const char* kCompute = "every op runs at least once, at the fewest native tiles";
constexpr const char* kTraffic =
    "what must cross to and from slow memory: operands reloaded for every tile, tensors that "
    "neither share a step with their consumers nor fit in fast memory";
constexpr const char* kBlocks =
    "no step advances two of the blocks that split operands cut the graph into; each block takes "
    "its compute or its traffic";

// An op whose output is at tile position in every step pays whole native tiles.
double blockCompute(const Problem& problem, const BoundStructure& structure, OpId id,
                    DepthReading depth) {
  const Op& op = problem.op(id);
  if (!op.isMatMul() || structure.canBeStrip(op.output)) return opComputeBound(problem, id, depth);
  const Hardware& hardware = problem.hardware();
  const Tensor& out = problem.tensor(op.output);
  const double passes =
      depth == DepthReading::kNative
          ? static_cast<double>(problem.reduction(id)) / static_cast<double>(hardware.nativeDepth())
          : 1.0;
  return op.baseCost * passes * static_cast<double>(ceilDiv(out.width, hardware.nativeWidth)) *
         static_cast<double>(ceilDiv(out.height, hardware.nativeHeight));
}

}  // namespace

double opComputeBound(const Problem& problem, OpId id, DepthReading depth) {
  const Op& op = problem.op(id);
  const Hardware& hardware = problem.hardware();
  const Tensor& out = problem.tensor(op.output);
  const auto columns = static_cast<double>(ceilDiv(out.width, hardware.nativeWidth));
  const auto rows = static_cast<double>(ceilDiv(out.height, hardware.nativeHeight));
  if (!op.isMatMul()) return op.baseCost * columns * rows;
  // As a root the op pays whole tiles; as the maker of strips it is charged in proportion along the
  // axis that its consumer reduces over.
  const auto nk = static_cast<double>(hardware.nativeDepth());
  const double leftStrips = static_cast<double>(out.width) / nk * rows;
  const double rightStrips = static_cast<double>(out.height) / nk * columns;
  const double passes =
      depth == DepthReading::kNative ? static_cast<double>(problem.reduction(id)) / nk : 1.0;
  return op.baseCost * passes * std::min({columns * rows, leftStrips, rightStrips});
}

LowerBound lowerBound(const Problem& problem, DepthReading depth) {
  const BoundStructure structure(problem);
  const UnavoidableTraffic traffic = unavoidableTraffic(problem, structure);
  const double bandwidth = problem.hardware().slowMemoryBandwidth;
  std::vector<double> compute(structure.blockCount(), 0);
  for (std::size_t i = 0; i < problem.opCount(); ++i) {
    const OpId o = OpId::fromIndex(i);
    compute[structure.block(o)] += blockCompute(problem, structure, o, depth);
  }
  BoundTerm computeTerm{"compute", kCompute, 0};
  BoundTerm trafficTerm{"traffic", kTraffic, traffic.anywhere / bandwidth};
  BoundTerm blockTerm{"blocks", kBlocks, 0};
  for (std::size_t b = 0; b < compute.size(); ++b) {
    const double transfer = traffic.perBlock[b] / bandwidth;
    computeTerm.value += compute[b];
    trafficTerm.value += transfer;
    blockTerm.value += std::max(compute[b], transfer);
  }
  LowerBound bound;
  bound.terms = {computeTerm, trafficTerm, blockTerm};
  for (const BoundTerm& term : bound.terms) bound.value = std::max(bound.value, term.value);
  return bound;
}

}  // namespace tilebeam
