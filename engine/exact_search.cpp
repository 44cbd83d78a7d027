#include "engine/exact_search.h"

#include <algorithm>
#include <bit>
#include <queue>
#include <unordered_map>
#include <vector>

#include "engine/connected_sets.h"
#include "engine/step_shape.h"
#include "tilebeam/lower_bound.h"
#include "tilebeam/step_bound.h"

namespace tilebeam {
namespace {

// Tensors are known by their producers: bit i is the output of op i.
struct State {
  OpMask covered = 0;
  OpMask slow = 0;      // in slow memory
  OpMask resident = 0;  // retained by the last step
  friend bool operator==(const State&, const State&) = default;
};

struct StateHash {
  std::size_t operator()(const State& s) const noexcept {
    return static_cast<std::size_t>(mix(mix(mix(s.covered) ^ s.slow) ^ s.resident));
  }
};

// What a step keeps: outputs retained, and interior ones stored.
struct Kept {
  OpMask retained = 0;
  OpMask stored = 0;
};

struct CostKey {
  std::size_t set = 0;
  OpMask resident = 0;
  Kept kept;
  friend bool operator==(const CostKey& a, const CostKey& b) {
    return a.set == b.set && a.resident == b.resident && a.kept.retained == b.kept.retained &&
           a.kept.stored == b.kept.stored;
  }
};

struct CostKeyHash {
  std::size_t operator()(const CostKey& k) const noexcept {
    return static_cast<std::size_t>(
        mix(mix(mix(k.set ^ k.resident) ^ k.kept.retained) + k.kept.stored));
  }
};

struct StepSet {
  OpMask ops = 0;
  OpMask external = 0;  // produced by other ops
  OpMask sinks = 0;
  OpMask tile = 0;    // outputs at tile position
  OpMask wanted = 0;  // interior outputs at tile position that ops beyond the set take
  double compute = 0;
};

class ExactSearch {
 public:
  ExactSearch(const Problem& problem, DepthReading depth, const ExactLimits& limits)
      : problem_(problem), depth_(depth), limits_(limits) {
    for (std::size_t i = 0; i < problem.opCount(); ++i) describeOp(OpId::fromIndex(i));
  }

  ExactBound run() {
    result_.value = std::min(limits_.upperBound, lowerBound(problem_, depth_).value);
    const auto masks = connectedSets(problem_, limits_.maxSets);
    if (!masks) return result_;
    for (const OpMask ops : *masks) addSet(ops);
    result_.sets = sets_.size();
    reach({}, 0);
    search();
    result_.states = best_.size();
    return result_;
  }

 private:
  void describeOp(OpId o) {
    const OpMask bit = OpMask{1} << o.index();
    const TensorId t = problem_.op(o).output;
    all_ |= bit;
    compute_.push_back(opComputeBound(problem_, o, depth_));
    OpMask takers = 0;
    for (const OpId c : problem_.graph().consumers(t)) takers |= OpMask{1} << c.index();
    takers_.push_back(takers);
    if (takers == 0) outputs_ |= bit;
    if (problem_.tensor(t).area() <= problem_.hardware().fastMemoryCapacity) retainable_ |= bit;
  }

  std::vector<OpId> listOf(OpMask ops) const {
    std::vector<OpId> list;
    for (const OpId o : problem_.graph().topologicalOrder()) {
      if ((ops >> o.index() & 1U) != 0) list.push_back(o);
    }
    return list;
  }

  void addSet(OpMask ops) {
    const Subgraph subgraph(problem_, listOf(ops));
    if (subgraph.violation()) return;
    StepSet set;
    set.ops = ops;
    for (const TensorId t : subgraph.external()) {
      const OpId producer = problem_.graph().producer(t);
      if (producer.valid()) set.external |= OpMask{1} << producer.index();
    }
    for (const OpId o : subgraph.ops()) {
      const OpMask bit = OpMask{1} << o.index();
      const TensorId t = problem_.op(o).output;
      set.compute += compute_[o.index()];
      if (!subgraph.atTilePosition(t)) continue;
      set.tile |= bit;
      if (subgraph.isSinkOutput(t)) {
        set.sinks |= bit;
      } else if ((takers_[o.index()] & ~ops) != 0) {
        set.wanted |= bit;
      }
    }
    sets_.push_back(set);
  }

  // The compute of what is left.
  double floorOf(OpMask covered) const {
    double sum = 0;
    for (OpMask rest = all_ & ~covered; rest != 0; rest &= rest - 1) {
      sum += compute_[static_cast<std::size_t>(std::countr_zero(rest))];
    }
    return sum;
  }

  void search() {
    for (std::size_t turn = 0; !queue_.empty(); ++turn) {
      const Open open = queue_.top();
      result_.value = std::clamp(open.estimate, result_.value, limits_.upperBound);
      if (open.estimate >= limits_.upperBound) break;
      queue_.pop();
      const double cost = best_.at(open.state);
      if (open.cost > cost) continue;
      if (open.state.covered == all_ && (outputs_ & ~open.state.slow) == 0) {
        result_.complete = true;
        return;
      }
      if (best_.size() > limits_.maxStates) return;
      for (std::size_t s = 0; s < sets_.size(); ++s) {
        if (s % 256 == 0 && limits_.stop && limits_.stop()) return;
        expand(open.state, cost, s);
      }
    }
    // Nothing below the known total is left (or no schedule is valid at all).
    result_.value = limits_.upperBound;
    result_.complete = true;
  }

  void expand(const State& state, double cost, std::size_t s) {
    const StepSet& set = sets_[s];
    if ((set.external & ~state.slow & ~state.resident) != 0) return;
    const OpMask covered = state.covered | set.ops;
    const double rest = floorOf(covered);
    if (cost + set.compute + rest >= limits_.upperBound) return;
    const OpMask keepable = set.tile & retainable_ & ~state.resident;
    for (OpMask retained = keepable;; retained = (retained - 1) & keepable) {
      const OpMask storable = set.wanted & ~retained & ~state.slow;
      for (OpMask interior = storable;; interior = (interior - 1) & storable) {
        step(state, cost, rest, s, {retained, (set.sinks & ~retained) | interior});
        if (interior == 0) break;
      }
      if (retained == 0) break;
    }
  }

  void step(const State& state, double cost, double rest, std::size_t s, const Kept& kept) {
    State next{state.covered | sets_[s].ops, state.slow | kept.stored, kept.retained};
    // A tensor that nothing waits for counts as stored, which only widens the choice.
    for (OpMask left = next.covered & ~next.slow & ~outputs_; left != 0; left &= left - 1) {
      const auto o = static_cast<std::size_t>(std::countr_zero(left));
      if ((takers_[o] & ~next.covered) == 0) next.slow |= OpMask{1} << o;
    }
    if (next == state) return;
    const auto known = best_.find(next);
    if (known != best_.end() && known->second <= cost + sets_[s].compute) return;
    const double total = cost + costOf({s, state.resident, kept});
    if (total + rest < limits_.upperBound) reach(next, total);
  }

  double costOf(const CostKey& key) {
    const auto known = costs_.find(key);
    if (known != costs_.end()) return known->second;
    const StepSet& set = sets_[key.set];
    StepContext context;
    context.retained = outputsOf(key.kept.retained);
    context.stored = outputsOf(key.kept.stored);
    context.resident = outputsOf(key.resident);
    const Subgraph subgraph(problem_, listOf(set.ops));
    const double cost = std::max(set.compute, stepLowerBound(subgraph, context, depth_));
    costs_.emplace(key, cost);
    return cost;
  }

  std::vector<TensorId> outputsOf(OpMask ops) const {
    std::vector<TensorId> list;
    for (const OpId o : listOf(ops)) list.push_back(problem_.op(o).output);
    std::sort(list.begin(), list.end());
    return list;
  }

  void reach(const State& state, double cost) {
    const auto [it, fresh] = best_.emplace(state, cost);
    if (!fresh && it->second <= cost) return;
    it->second = cost;
    queue_.push({cost + floorOf(state.covered), cost, state});
  }

  struct Open {
    double estimate = 0;
    double cost = 0;
    State state;
    bool operator<(const Open& other) const { return estimate > other.estimate; }
  };

  const Problem& problem_;
  DepthReading depth_;
  const ExactLimits& limits_;
  OpMask all_ = 0;
  OpMask outputs_ = 0;     // graph outputs
  OpMask retainable_ = 0;  // outputs that fit the fast memory
  std::vector<double> compute_;
  std::vector<OpMask> takers_;
  std::vector<StepSet> sets_;
  std::unordered_map<State, double, StateHash> best_;
  std::unordered_map<CostKey, double, CostKeyHash> costs_;
  std::priority_queue<Open> queue_;
  ExactBound result_;
};

}  // namespace

ExactBound exactBound(const Problem& problem, DepthReading depth, const ExactLimits& limits) {
  if (problem.opCount() > kMaxMaskOps) {
    ExactBound cheap;
    cheap.value = std::min(limits.upperBound, lowerBound(problem, depth).value);
    return cheap;
  }
  return ExactSearch(problem, depth, limits).run();
}

}  // namespace tilebeam
