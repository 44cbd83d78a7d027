#include "support/exhaustive_optimum.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <queue>
#include <tuple>
#include <vector>

#include "tilebeam/schedule_evaluator.h"
#include "tilebeam/step_simulator.h"
#include "tilebeam/subgraph.h"

namespace tilebeam::test {
namespace {

using Mask = std::uint32_t;  // of ops, or of tensors

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Mask bit(TensorId t) { return Mask{1} << t.index(); }

std::vector<TensorId> members(Mask mask) {
  std::vector<TensorId> list;
  for (std::size_t t = 0; t < 32; ++t) {
    if ((mask >> t & 1U) != 0) list.push_back(TensorId::fromIndex(t));
  }
  return list;
}

struct State {
  Mask covered = 0;   // ops
  Mask slow = 0;      // tensors in slow memory
  Mask resident = 0;  // tensors retained by the last step
  friend auto operator<=>(const State&, const State&) = default;
};

struct StepSet {
  Mask ops = 0;
  Subgraph subgraph;
  Mask external = 0;
  Mask sinks = 0;
  Mask tile = 0;
};

class Exhaustion {
 public:
  Exhaustion(const Problem& problem, DepthReading depth, std::size_t explicitTiles)
      : problem_(problem), depth_(depth), explicitTiles_(explicitTiles) {
    for (std::size_t t = 0; t < problem.tensorCount(); ++t) {
      const TensorId id = TensorId::fromIndex(t);
      if (problem.isGraphInput(id)) inputs_ |= bit(id);
      if (problem.isGraphOutput(id)) outputs_ |= bit(id);
    }
    for (Mask ops = 1; ops < Mask{1} << problem.opCount(); ++ops) addSet(ops);
  }

  double run() {
    const Mask all = (Mask{1} << problem_.opCount()) - 1;
    reach(State{0, inputs_, 0}, 0);
    while (!queue_.empty()) {
      const auto [cost, state] = queue_.top();
      queue_.pop();
      if (cost > best_[state]) continue;
      if (state.covered == all && (outputs_ & ~state.slow) == 0) return cost;
      for (std::size_t s = 0; s < sets_.size(); ++s) expand(state, cost, s);
    }
    return kInfinity;
  }

 private:
  void addSet(Mask ops) {
    std::vector<OpId> list;
    for (const OpId o : problem_.graph().topologicalOrder()) {
      if ((ops >> o.index() & 1U) != 0) list.push_back(o);
    }
    StepSet set{ops, Subgraph(problem_, list), 0, 0, 0};
    if (set.subgraph.violation()) return;
    for (const TensorId t : set.subgraph.external()) set.external |= bit(t);
    for (const TensorId t : set.subgraph.produced()) {
      if (set.subgraph.isSinkOutput(t)) set.sinks |= bit(t);
      if (set.subgraph.atTilePosition(t)) set.tile |= bit(t);
    }
    sets_.push_back(std::move(set));
  }

  void expand(const State& state, double cost, std::size_t s) {
    const StepSet& set = sets_[s];
    if ((set.external & ~state.slow & ~state.resident) != 0) return;
    // Each tensor at tile position is retained, stored, or, if it is internal, neither.
    const Mask keepable = set.tile & ~state.resident & ~inputs_;
    for (Mask retained = keepable;; retained = (retained - 1) & keepable) {
      const Mask storable = set.tile & ~set.sinks & ~retained & ~state.slow;
      for (Mask extra = storable;; extra = (extra - 1) & storable) {
        const Mask stored = (set.sinks & ~retained) | extra;
        const double latency = stepCost(s, state.resident, retained, stored);
        if (latency < kInfinity) {
          reach({state.covered | set.ops, state.slow | stored, retained}, cost + latency);
        }
        if (extra == 0) break;
      }
      if (retained == 0) break;
    }
  }

  void reach(const State& state, double cost) {
    const auto [it, fresh] = best_.emplace(state, cost);
    if (!fresh && it->second <= cost) return;
    it->second = cost;
    queue_.emplace(cost, state);
  }

  double stepCost(std::size_t s, Mask resident, Mask retained, Mask stored) {
    const auto [it, fresh] = costs_.emplace(std::tuple(s, resident, retained, stored), kInfinity);
    if (fresh) it->second = bestGranularity(sets_[s].subgraph, resident, retained, stored);
    return it->second;
  }

  double bestGranularity(const Subgraph& subgraph, Mask resident, Mask retained, Mask stored) {
    const CollapsedSimulator simulator(
        subgraph, {members(resident), members(stored), members(retained)}, depth_);
    const Hardware& hardware = problem_.hardware();
    const std::int64_t deepest = subgraph.hasMatMul() ? hardware.nativeDepth() : 1;
    double best = kInfinity;
    for (std::int64_t w = 1; w <= hardware.nativeWidth; ++w) {
      for (std::int64_t h = 1; h <= hardware.nativeHeight; ++h) {
        for (std::int64_t k = 1; k <= deepest; ++k) {
          if (checkGranularity(subgraph, {w, h, k})) continue;
          best = std::min(best, bestTraversal(subgraph, simulator, {w, h, k}));
        }
      }
    }
    return best;
  }

  double bestTraversal(const Subgraph& subgraph, const CollapsedSimulator& simulator,
                       const Granularity& g) const {
    double best = kInfinity;
    const auto consider = [&](const StepCost& cost) {
      if (cost.peakFastMemory <= problem_.hardware().fastMemoryCapacity) {
        best = std::min(best, cost.latency);
      }
    };
    for (const auto kind : kNamedTraversals) {
      consider(simulator.cost(g, kind));
    }
    const std::int64_t tiles =
        ((subgraph.gridWidth() - 1) / g.width + 1) * ((subgraph.gridHeight() - 1) / g.height + 1);
    if (static_cast<std::size_t>(tiles) > explicitTiles_) return best;
    Traversal order{TraversalKind::kExplicit,
                    std::vector<std::int64_t>(static_cast<std::size_t>(tiles))};
    std::iota(order.order.begin(), order.order.end(), 0);
    do {
      consider(simulator.account(g, order).cost);
    } while (std::next_permutation(order.order.begin(), order.order.end()));
    return best;
  }

  struct Later {
    bool operator()(const std::pair<double, State>& a, const std::pair<double, State>& b) const {
      return a.first > b.first;
    }
  };

  const Problem& problem_;
  DepthReading depth_;
  std::size_t explicitTiles_;
  Mask inputs_ = 0;
  Mask outputs_ = 0;
  std::vector<StepSet> sets_;
  std::map<State, double> best_;
  std::map<std::tuple<std::size_t, Mask, Mask, Mask>, double> costs_;
  std::priority_queue<std::pair<double, State>, std::vector<std::pair<double, State>>, Later>
      queue_;
};

}  // namespace

double exhaustiveOptimum(const Problem& problem, DepthReading depth, std::size_t explicitTiles) {
  return Exhaustion(problem, depth, explicitTiles).run();
}

}  // namespace tilebeam::test
