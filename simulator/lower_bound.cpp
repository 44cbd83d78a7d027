#include "tilebeam/lower_bound.h"

#include <algorithm>

#include "step_demands.h"

namespace tilebeam {
namespace {

BoundTerm computeTerm(const Problem& problem, DepthReading depth) {
  BoundTerm term{"compute", "every op runs at least once, at the fewest native tiles", 0};
  for (std::size_t o = 0; o < problem.opCount(); ++o) {
    term.value += opComputeBound(problem, OpId::fromIndex(o), depth);
  }
  return term;
}

BoundTerm trafficTerm(const Problem& problem) {
  BoundTerm term{"traffic",
                 "every graph input is loaded and every graph output stored at least once", 0};
  for (std::size_t t = 0; t < problem.tensorCount(); ++t) {
    const TensorId id = TensorId::fromIndex(t);
    if (!problem.isGraphInput(id) && !problem.isGraphOutput(id)) continue;
    term.value += static_cast<double>(problem.tensor(id).area());
  }
  term.value /= problem.hardware().slowMemoryBandwidth;
  return term;
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
  LowerBound bound;
  bound.terms = {computeTerm(problem, depth), trafficTerm(problem)};
  for (const BoundTerm& term : bound.terms) bound.value = std::max(bound.value, term.value);
  return bound;
}

}  // namespace tilebeam
