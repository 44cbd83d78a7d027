#include "shared_operands.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "step_demands.h"

namespace tilebeam {

SharedOperands::SharedOperands(const Problem& problem, const BoundStructure& structure,
                               SharedSide side)
    : problem_(problem), structure_(structure), side_(side) {
  const Hardware& hardware = problem.hardware();
  nativeAlong_ = side == SharedSide::kRight ? hardware.nativeHeight : hardware.nativeWidth;
  nativeAcross_ = side == SharedSide::kRight ? hardware.nativeWidth : hardware.nativeHeight;
  groupOf_.assign(problem.opCount(), kNoGroup);
  operands_.assign(problem.tensorCount(), false);
  std::vector<bool> sharedOnes(problem.tensorCount());
  for (std::size_t i = 0; i < problem.tensorCount(); ++i) {
    sharedOnes[i] = sharable(TensorId::fromIndex(i));
  }
  std::map<std::pair<TensorId, std::int64_t>, std::uint32_t> known;
  // Producers first: an op belongs only if the one that makes its own operand does.
  for (const OpId o : problem.graph().topologicalOrder()) {
    if (!problem.op(o).isMatMul() || !sharedOnes[shared(o).index()] || !belongs(o)) continue;
    const Tensor& out = problem.tensor(problem.op(o).output);
    const bool right = side == SharedSide::kRight;
    const std::int64_t along = right ? out.height : out.width;
    const auto [it, fresh] = known.emplace(std::pair(shared(o), along), groups_.size());
    if (fresh) {
      groups_.push_back({shared(o), along, right ? out.width : out.height, problem.reduction(o)});
    }
    groupOf_[o.index()] = it->second;
    enter(o);
  }
}

TensorId SharedOperands::own(OpId o) const {
  return problem_.op(o).inputs[side_ == SharedSide::kRight ? 0 : 1];
}

TensorId SharedOperands::shared(OpId o) const {
  return problem_.op(o).inputs[side_ == SharedSide::kRight ? 1 : 0];
}

bool SharedOperands::retainable(TensorId t) const {
  return !problem_.isGraphInput(t) &&
         problem_.tensor(t).area() <= problem_.hardware().fastMemoryCapacity;
}

// Too large for fast memory, external wherever it is taken, and taken by split MatMuls alone, on
// one side, none of which makes strips along the tiled axis.
bool SharedOperands::sharable(TensorId t) const {
  if (problem_.tensor(t).area() <= problem_.hardware().fastMemoryCapacity) return false;
  const auto consumers = problem_.graph().consumers(t);
  return !consumers.empty() && std::all_of(consumers.begin(), consumers.end(), [&](OpId o) {
    const Op& op = problem_.op(o);
    if (!op.isMatMul() || shared(o) != t || own(o) == t) return false;
    if (problem_.reduction(o) <= problem_.hardware().nativeDepth()) return false;
    if (!problem_.isGraphInput(t) && !isCut(problem_, t, o)) return false;
    return side_ == SharedSide::kRight ? !structure_.canBeRightStrip(op.output)
                                       : !structure_.canBeLeftStrip(op.output);
  });
}

// Its own operand is taken by no other op, and made in its step, if at all, by one that belongs.
bool SharedOperands::belongs(OpId o) const {
  if (problem_.graph().consumers(own(o)).size() != 1) return false;
  const OpId producer = problem_.graph().producer(own(o));
  if (!producer.valid() || isCut(problem_, own(o), o)) return true;
  return problem_.op(producer).isMatMul() && contains(producer);
}

void SharedOperands::enter(OpId o) {
  Group& group = groups_[groupOf_[o.index()]];
  ++group.size;
  group.retention = group.retention || retainable(own(o));
  group.strips = group.strips || structure_.canBeStrip(problem_.op(o).output);
  operands_[own(o).index()] = operands_[group.shared.index()] = true;
}

// What each op of the group that makes strips loads of the shared operand. If `sharers` of them do
// in one step, all hold a tile's length of their own operands in full beside one row or column of
// the shared one, which is loaded for every tile.
double SharedOperands::nestedShare(const Group& group, std::int64_t shortest) const {
  double least = std::numeric_limits<double>::infinity();
  if (!group.strips) return least;
  const std::int64_t lengths =
      problem_.hardware().fastMemoryCapacity / group.reduction - 1;  // that fit, of all sharers
  for (std::int64_t sharers = 1; sharers <= group.size && sharers <= lengths; ++sharers) {
    std::int64_t longest = lengths / sharers;
    if (longest >= group.along) longest = nativeAlong_;
    longest = std::min(longest, nativeAlong_);
    if (longest <= shortest) break;
    least = std::min(
        least, static_cast<double>(ceilDiv(group.along, longest)) / static_cast<double>(sharers));
  }
  return least * area(group.shared);
}

std::vector<double> SharedOperands::loads(std::int64_t shortest) const {
  std::vector<double> nested;
  for (const Group& group : groups_) nested.push_back(nestedShare(group, shortest));
  std::vector<double> result(problem_.opCount(), 0);
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (groupOf_[i] == kNoGroup) continue;
    const OpId o = OpId::fromIndex(i);
    const Group& group = groups_[groupOf_[i]];
    const TensorId mine = own(o);
    const double tilesAcross = static_cast<double>(ceilDiv(group.across, nativeAcross_));
    const double oncePerTile =
        area(group.shared) * static_cast<double>(ceilDiv(group.along, nativeAlong_));
    const double rootShare = group.retention ? 0 : oncePerTile / static_cast<double>(group.size);
    double least = area(mine) * tilesAcross + rootShare;
    if (structure_.canBeStrip(problem_.op(o).output)) {
      least = std::min(least, nested[groupOf_[i]] + (retainable(mine) ? 0 : area(mine)));
    }
    if (retainable(mine)) {
      const std::int64_t most =
          problem_.hardware().fastMemoryCapacity / problem_.tensor(mine).area();
      least = std::min(least, oncePerTile / static_cast<double>(std::min(most, group.size)));
    }
    const OpId producer = problem_.graph().producer(mine);
    if (producer.valid() && contains(producer)) {
      // Made in the same step, for every tile again.
      least = std::min(least, nested[groupOf_[producer.index()]] * (tilesAcross - 1));
    }
    result[i] = least;
  }
  return result;
}

}  // namespace tilebeam
