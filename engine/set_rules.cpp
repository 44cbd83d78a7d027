#include "engine/set_rules.h"

#include <algorithm>
#include <bit>

#include "engine/limits.h"
#include "tilebeam/subgraph.h"

namespace tilebeam {

SetVerdict SetRules::judge(const std::vector<OpId>& ops, OpBits& remade) const {
  if (splitsPrologue(ops) || hasForbiddenEdge(ops)) return SetVerdict::kHopeless;
  if (hasForbiddenOutputs(ops)) return SetVerdict::kBroken;
  remade = runBefore(ops);
  if (remade == 0) return SetVerdict::kFeasible;
  const bool tooMany = std::popcount(remade) > kMostRemadeOps;
  return limits_.recomputation && !tooMany ? SetVerdict::kFeasible : SetVerdict::kBroken;
}

OpBits SetRules::unstorable(const std::vector<OpId>& ops) const {
  const Subgraph subgraph(problem_, ops);
  if (subgraph.violation()) return 0;
  OpBits bits = 0;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const TensorId t = problem_.op(ops[i]).output;
    if (!subgraph.atTilePosition(t) && neededOutside(problem_, t, ops)) {
      bits |= opBit(i);
    }
  }
  return bits;
}

// A Pointwise that makes a MatMul's operand demands the whole reduction in one tile; where that
// is beyond native, no larger set mends it.
bool SetRules::splitsPrologue(const std::vector<OpId>& ops) const {
  const Hardware& hardware = problem_.hardware();
  const auto madeByPointwise = [&](TensorId t) {
    const OpId producer = graph_.producer(t);
    return producer.valid() && !problem_.op(producer).isMatMul() &&
           std::find(ops.begin(), ops.end(), producer) != ops.end();
  };
  return std::any_of(ops.begin(), ops.end(), [&](OpId o) {
    const Op& op = problem_.op(o);
    if (!op.isMatMul()) return false;
    const std::int64_t reduction = problem_.reduction(o);
    if (reduction <= hardware.nativeDepth()) return false;
    return madeByPointwise(op.inputs[0]) ||
           (reduction > hardware.nativeHeight && madeByPointwise(op.inputs[1]));
  });
}

// Some op takes another's output in a way that is switched off.
bool SetRules::hasForbiddenEdge(const std::vector<OpId>& ops) const {
  if (limits_.without.empty()) return false;
  return std::any_of(ops.begin(), ops.end(), [&](OpId o) {
    const Op& op = problem_.op(o);
    return std::any_of(op.inputs.begin(), op.inputs.end(), [&](TensorId t) {
      const OpId producer = graph_.producer(t);
      if (!producer.valid() || std::find(ops.begin(), ops.end(), producer) == ops.end()) {
        return false;
      }
      if (problem_.op(producer).isMatMul()) {
        return isOff(op.isMatMul() ? Feature::kNestedMatMuls : Feature::kEpilogues);
      }
      return isOff(op.isMatMul() ? Feature::kPrologues : Feature::kPointwiseFusion);
    });
  });
}

// More sinks than one, or a stored internal tensor, where that is switched off; more ops may mend
// it.
bool SetRules::hasForbiddenOutputs(const std::vector<OpId>& ops) const {
  if (limits_.without.empty()) return false;
  std::size_t sinks = 0;
  bool storedInterior = false;
  for (const OpId o : ops) {
    const TensorId t = problem_.op(o).output;
    const auto takers = graph_.consumers(t);
    const bool internal = std::any_of(takers.begin(), takers.end(), [&](OpId taker) {
      return std::find(ops.begin(), ops.end(), taker) != ops.end();
    });
    if (!internal) ++sinks;
    storedInterior = storedInterior || (internal && neededOutside(problem_, t, ops));
  }
  return (sinks > 1 && isOff(Feature::kSeveralSinks)) ||
         (storedInterior && isOff(Feature::kStoredInteriors));
}

// The ops, as bits, from which a path leaves the set and returns to it: one of its inputs waits
// for their outputs. Those that they take from are among them.
OpBits SetRules::runBefore(const std::vector<OpId>& ops) const {
  const Position first = graph_.position(ops.front());
  OpBits found = 0;
  for (const OpId o : ops) {
    for (const TensorId t : problem_.op(o).inputs) {
      const OpId producer = graph_.producer(t);
      if (!producer.valid() || graph_.position(producer) < first) continue;
      if (std::find(ops.begin(), ops.end(), producer) != ops.end()) continue;
      found |= leadingTo(graph_.position(producer), ops);
    }
  }
  return found;
}

OpBits SetRules::leadingTo(Position to, const std::vector<OpId>& ops) const {
  OpBits found = 0;
  for (std::size_t i = 0; i < ops.size() && graph_.position(ops[i]) < to; ++i) {
    if (ancestors_.leads(graph_.position(ops[i]), to)) found |= opBit(i);
  }
  return found;
}

}  // namespace tilebeam
