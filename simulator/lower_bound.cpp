#include "tilebeam/lower_bound.h"

#include <algorithm>

#include "block_traffic.h"
#include "bound_structure.h"
#include "shared_operands.h"
#include "step_demands.h"

namespace tilebeam {
namespace {

constexpr const char* kCompute = "every op runs at least once, at the fewest native tiles";
constexpr const char* kTraffic =
    "what must cross to and from slow memory: operands reloaded for every tile, tensors that "
    "neither share a step with their consumers nor fit in fast memory";
constexpr const char* kOperands =
    "block by block: MatMuls that share a large operand reload it or their own, unless tiles are "
    "so short that they cost as much in compute";
constexpr const char* kBlocks =
    "no step advances two of the blocks that split operands cut the graph into; each block takes "
    "its compute or its traffic";

double passes(const Problem& problem, OpId id, DepthReading depth) {
  if (depth == DepthReading::kFull) return 1.0;
  return static_cast<double>(problem.reduction(id)) /
         static_cast<double>(problem.hardware().nativeDepth());
}

// An op whose output is at tile position in every step pays for every tile, as many as there are.
double tileCompute(const Problem& problem, OpId id, DepthReading depth, std::int64_t width,
                   std::int64_t height) {
  const Op& op = problem.op(id);
  const Tensor& out = problem.tensor(op.output);
  const double perTile = op.baseCost * (op.isMatMul() ? passes(problem, id, depth) : 1.0);
  return perTile * static_cast<double>(ceilDiv(out.width, width)) *
         static_cast<double>(ceilDiv(out.height, height));
}

double blockCompute(const Problem& problem, const BoundStructure& structure, OpId id,
                    DepthReading depth) {
  if (structure.canBeStrip(problem.op(id).output)) return opComputeBound(problem, id, depth);
  const Hardware& hardware = problem.hardware();
  return tileCompute(problem, id, depth, hardware.nativeWidth, hardware.nativeHeight);
}

// Per block, the sum of what each op adds to its first step at least (docs/bounds.md, "Shared
// operands"): its share of the traffic, or of the compute where tiles are at most `shortest` long.
class OperandFloors {
 public:
  OperandFloors(const Problem& problem, const BoundStructure& structure, DepthReading depth,
                SharedSide side)
      : problem_(problem),
        structure_(structure),
        depth_(depth),
        side_(side),
        shared_(problem, structure, side) {}

  void raise(std::vector<double>& perBlock) const {
    if (shared_.none()) return;
    const auto others = unavoidableTraffic(problem_, structure_, shared_.operands()).perOp;
    const std::int64_t native = nativeAlong();
    raise(perBlock, others, 0);
    constexpr std::int64_t kShortest = 8;  // native tiles are cut in so many at most
    for (std::int64_t parts = 1; parts <= kShortest && (native - 1) / parts > 0; ++parts) {
      raise(perBlock, others, (native - 1) / parts);
    }
  }

 private:
  std::int64_t nativeAlong() const {
    const Hardware& hardware = problem_.hardware();
    return side_ == SharedSide::kRight ? hardware.nativeHeight : hardware.nativeWidth;
  }

  void raise(std::vector<double>& perBlock, const std::vector<double>& others,
             std::int64_t shortest) const {
    const std::vector<double> loads = shared_.loads(shortest);
    std::vector<double> sums(perBlock.size(), 0);
    for (std::size_t i = 0; i < loads.size(); ++i) {
      const OpId o = OpId::fromIndex(i);
      double share = (loads[i] + others[i]) / problem_.hardware().slowMemoryBandwidth;
      if (shortest > 0) share = std::min(share, shortTileCompute(o, shortest));
      sums[structure_.block(o)] += share;
    }
    for (std::size_t b = 0; b < sums.size(); ++b) perBlock[b] = std::max(perBlock[b], sums[b]);
  }

  // What the op computes where tiles are at most so long along the tiled axis.
  double shortTileCompute(OpId o, std::int64_t longest) const {
    const Hardware& hardware = problem_.hardware();
    const Op& op = problem_.op(o);
    const bool right = side_ == SharedSide::kRight;
    const double asTile = tileCompute(problem_, o, depth_, right ? hardware.nativeWidth : longest,
                                      right ? longest : hardware.nativeHeight);
    if (!structure_.canBeStrip(op.output)) return asTile;
    if (!shared_.contains(o)) return opComputeBound(problem_, o, depth_);
    const Tensor& out = problem_.tensor(op.output);
    const std::int64_t along = right ? out.height : out.width;
    const std::int64_t across = right ? out.width : out.height;
    const double asStrips =
        op.baseCost * passes(problem_, o, depth_) * static_cast<double>(across) /
        static_cast<double>(hardware.nativeDepth()) * static_cast<double>(ceilDiv(along, longest));
    return std::min(asTile, asStrips);
  }

  const Problem& problem_;
  const BoundStructure& structure_;
  DepthReading depth_;
  SharedSide side_;
  SharedOperands shared_;
};

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
  return op.baseCost * passes(problem, id, depth) *
         std::min({columns * rows, leftStrips, rightStrips});
}

LowerBound lowerBound(const Problem& problem, DepthReading depth) {
  const BoundStructure structure(problem);
  const UnavoidableTraffic traffic =
      unavoidableTraffic(problem, structure, std::vector<bool>(problem.tensorCount(), false));
  const double bandwidth = problem.hardware().slowMemoryBandwidth;
  std::vector<double> compute(structure.blockCount(), 0);
  std::vector<double> transfer(structure.blockCount(), 0);
  for (std::size_t i = 0; i < problem.opCount(); ++i) {
    const OpId o = OpId::fromIndex(i);
    compute[structure.block(o)] += blockCompute(problem, structure, o, depth);
    transfer[structure.block(o)] += traffic.perOp[i] / bandwidth;
  }
  std::vector<double> floors(structure.blockCount(), 0);
  for (const SharedSide side : {SharedSide::kRight, SharedSide::kLeft}) {
    OperandFloors(problem, structure, depth, side).raise(floors);
  }
  BoundTerm computeTerm{"compute", kCompute, 0};
  BoundTerm trafficTerm{"traffic", kTraffic, traffic.anywhere / bandwidth};
  BoundTerm blockTerm{"blocks", kBlocks, 0};
  BoundTerm operandTerm{"shared operands", kOperands, 0};
  for (std::size_t b = 0; b < compute.size(); ++b) {
    computeTerm.value += compute[b];
    trafficTerm.value += transfer[b];
    blockTerm.value += std::max(compute[b], transfer[b]);
    operandTerm.value += floors[b] > 0 ? std::max({compute[b], transfer[b], floors[b]}) : 0;
  }
  LowerBound bound;
  bound.terms = {computeTerm, trafficTerm, blockTerm};
  if (operandTerm.value > 0) bound.terms.push_back(operandTerm);
  for (const BoundTerm& term : bound.terms) bound.value = std::max(bound.value, term.value);
  return bound;
}

}  // namespace tilebeam
