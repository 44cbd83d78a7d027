#include "block_traffic.h"

#include <algorithm>

#include "step_demands.h"

namespace tilebeam {
namespace {

// How the consumers seen so far take one tensor.
struct Takers {
  int asLeft = 0;   // MatMuls that take it as LHS
  int asRight = 0;  // as RHS
  bool asTile = false;
  bool asStrip = false;  // Pointwise ops that a step may want in strips

  void add(const Problem& problem, const BoundStructure& structure, TensorId t, OpId o) {
    const Op& op = problem.op(o);
    if (op.isMatMul()) {
      asLeft += op.inputs[0] == t ? 1 : 0;
      asRight += op.inputs[1] == t ? 1 : 0;
    } else {
      (structure.canBeStrip(op.output) ? asStrip : asTile) = true;
    }
  }
};

class TrafficCount {
 public:
  TrafficCount(const Problem& problem, const BoundStructure& structure)
      : problem_(problem), structure_(structure) {
    traffic_.perOp.assign(problem.opCount(), 0);
  }

  UnavoidableTraffic run(const std::vector<bool>& skipped) {
    for (std::size_t i = 0; i < problem_.tensorCount(); ++i) {
      const TensorId t = TensorId::fromIndex(i);
      if (!skipped[i]) countLoads(t);
      countStore(t);
    }
    return std::move(traffic_);
  }

 private:
  // No step retains a tensor that does not fit: its last tile completes it in fast memory.
  bool retainable(TensorId t) const {
    return problem_.tensor(t).area() <= problem_.hardware().fastMemoryCapacity;
  }

  // Consumers of one block may share a step, so of these only the one that loads most counts.
  void countLoads(TensorId t) {
    const OpId producer = problem_.graph().producer(t);
    if (producer.valid() && retainable(t)) return;
    consumers_.assign(problem_.graph().consumers(t).begin(), problem_.graph().consumers(t).end());
    std::sort(consumers_.begin(), consumers_.end(), [&](OpId a, OpId b) {
      return structure_.block(a) != structure_.block(b) ? structure_.block(a) < structure_.block(b)
                                                        : a < b;
    });
    Takers takers;
    for (std::size_t first = 0; first < consumers_.size();) {
      const std::uint32_t block = structure_.block(consumers_[first]);
      std::size_t end = first;
      for (; end < consumers_.size() && structure_.block(consumers_[end]) == block; ++end) {
        takers.add(problem_, structure_, t, consumers_[end]);
      }
      double most = 0;
      std::size_t who = first;
      for (; first < end; ++first) {
        const OpId o = consumers_[first];
        if (producer.valid() && !isCut(problem_, t, o)) continue;  // may be made in its step
        const double loads = loadsFor(t, o, takers);
        if (loads > most) who = first;
        most = std::max(most, loads);
      }
      traffic_.perOp[consumers_[who].index()] += most;
    }
  }

  // What the first step that runs `o` loads of `t`, which is external there. `takers` are all
  // consumers of t that this step can hold.
  double loadsFor(TensorId t, OpId o, const Takers& takers) const {
    const auto area = static_cast<double>(problem_.tensor(t).area());
    const Op& op = problem_.op(o);
    const Hardware& hardware = problem_.hardware();
    const bool splitRoot = op.isMatMul() && !structure_.canBeStrip(op.output) &&
                           problem_.reduction(o) > hardware.nativeDepth();
    if (!splitRoot || takers.asStrip || (takers.asLeft > 0 && takers.asRight > 0)) return area;
    // Another taker might want the tensor whole, which then serves all.
    const bool alone = takers.asLeft + takers.asRight == 1;
    if (!alone && retainable(t)) return area;
    const Tensor& out = problem_.tensor(op.output);
    const std::int64_t times = op.inputs[0] == t ? ceilDiv(out.width, hardware.nativeWidth)
                                                 : ceilDiv(out.height, hardware.nativeHeight);
    return std::max(area, area * static_cast<double>(times - (takers.asTile ? 1 : 0)));
  }

  void countStore(TensorId t) {
    const OpId producer = problem_.graph().producer(t);
    if (!producer.valid()) return;
    const auto area = static_cast<double>(problem_.tensor(t).area());
    const std::uint32_t block = structure_.block(producer);
    bool sink = true;  // of the step that first runs its producer
    bool awaited = problem_.isGraphOutput(t);
    for (const OpId o : problem_.graph().consumers(t)) {
      const bool cut = isCut(problem_, t, o);
      sink = sink && (cut || structure_.block(o) != block);
      awaited = awaited || (cut && !retainable(t));
    }
    if (sink && !retainable(t)) {
      traffic_.perOp[producer.index()] += area;
    } else if (awaited) {
      traffic_.anywhere += area;
    }
  }

  const Problem& problem_;
  const BoundStructure& structure_;
  UnavoidableTraffic traffic_;
  std::vector<OpId> consumers_;
};

}  // namespace

UnavoidableTraffic unavoidableTraffic(const Problem& problem, const BoundStructure& structure,
                                      const std::vector<bool>& skipped) {
  return TrafficCount(problem, structure).run(skipped);
}

}  // namespace tilebeam
