#include "engine/exact_search.h"

#include <algorithm>
#include <bit>
#include <queue>
#include <unordered_map>
#include <vector>

#include "engine/covering_prices.h"
#include "engine/step_sets.h"
#include "tilebeam/lower_bound.h"

namespace tilebeam {
namespace {

// No price is higher where no schedule is known.
constexpr double kHighestPrice = 1e15;

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

// The cheapest way to a state known so far, by its last step.
struct Reached {
  double cost = 0;
  const State* from = nullptr;  // null where nothing has run
  std::size_t set = 0;
};

class ExactSearch {
 public:
  ExactSearch(const Problem& problem, DepthReading depth, const ExactLimits& limits)
      : problem_(problem),
        depth_(depth),
        limits_(limits),
        sets_(
            problem, depth, [this] { return full() || (limits_.stop && limits_.stop()); },
            limits.effort) {}

  ExactBound run() {
    result_.value = std::min(limits_.upperBound, lowerBound(problem_, depth_).value);
    if (!sets_.find(limits_.maxSets)) return result_;
    result_.sets = sets_.size();
    prices_ = coveringPrices(sets_, std::min(limits_.upperBound, kHighestPrice));
    result_.value = std::clamp(prices_.sum, result_.value, limits_.upperBound);
    if (!sets_.stopped()) dropSets();
    reach({}, {});
    search();
    result_.states = best_.size();
    return result_;
  }

 private:
  bool full() const { return best_.size() + sets_.knownCosts() > limits_.maxStates; }

  double worth(OpMask ops) const {
    double sum = 0;
    for (; ops != 0; ops &= ops - 1) {
      sum += prices_.perOp[static_cast<std::size_t>(std::countr_zero(ops))];
    }
    return sum;
  }

  // A schedule with this set takes at least all prices and what the set takes beyond its own.
  bool canHelp(std::size_t s) const {
    return prices_.sum + std::max(0.0, sets_.floor(s) - worth(sets_[s].ops)) < limits_.upperBound;
  }

  void dropSets() {
    const auto helpful = [this](std::size_t s) { return canHelp(s); };
    sets_.prune(helpful);
    constexpr std::size_t kAtOnce = 64;
    for (bool raised = true; raised;) {
      raised = false;
      std::vector<std::size_t> some;
      for (std::size_t s = 0; s < sets_.size(); ++s) {
        if (!sets_.settled(s)) some.push_back(s);
        if (some.empty() || (some.size() < kAtOnce && s + 1 < sets_.size())) continue;
        if (sets_.stopped()) return;
        sets_.raiseFloors(some);
        some.clear();
        raised = true;
      }
      sets_.prune(helpful);
    }
  }

  // What must still run: what was never run, graph outputs that are not stored, and what makes an
  // operand of these that is neither in slow memory nor resident.
  OpMask needed(const State& state) const {
    OpMask needed = (sets_.all() & ~state.covered) | (sets_.outputs() & ~state.slow);
    for (OpMask fresh = needed; fresh != 0;) {
      OpMask makers = 0;
      for (; fresh != 0; fresh &= fresh - 1) {
        makers |= sets_.makers(static_cast<std::size_t>(std::countr_zero(fresh)));
      }
      fresh = makers & ~needed & ~state.slow & ~state.resident;
      needed |= fresh;
    }
    return needed;
  }

  // What the rest of the schedule takes at least.
  double restOf(const State& state) const {
    const OpMask ops = needed(state);
    double compute = 0;
    for (OpMask rest = ops; rest != 0; rest &= rest - 1) {
      compute += sets_.compute(static_cast<std::size_t>(std::countr_zero(rest)));
    }
    return std::max(compute, worth(ops));
  }

  void search() {
    while (!queue_.empty()) {
      const Open open = queue_.top();
      result_.value = std::clamp(open.estimate, result_.value, limits_.upperBound);
      if (open.estimate >= limits_.upperBound) break;
      queue_.pop();
      const auto& [state, reached] = *best_.find(open.state);
      if (open.cost > reached.cost) continue;
      if (state.covered == sets_.all() && (sets_.outputs() & ~state.slow) == 0) {
        result_.complete = true;
        traceBack(state);
        return;
      }
      if (full()) return;
      for (std::size_t s = 0; s < sets_.size(); ++s) {
        if (s % 64 == 0 && sets_.stopped()) return;
        expand(state, reached.cost, s);
      }
    }
    // Nothing below the known total is left (or no schedule is valid at all).
    result_.value = limits_.upperBound;
    result_.complete = true;
  }

  void traceBack(const State& end) {
    for (const State* state = &end; state != nullptr;) {
      const Reached& reached = best_.at(*state);
      if (reached.from == nullptr) break;
      result_.way.push_back(
          {sets_.listOf(sets_[reached.set].ops), sets_.outputsOf(state->resident)});
      state = reached.from;
    }
    std::reverse(result_.way.begin(), result_.way.end());
  }

  // `state` is a key of best_, where it stays put.
  void expand(const State& state, double cost, std::size_t s) {
    const StepSet& set = sets_[s];
    if ((set.external & ~state.slow & ~state.resident) != 0) return;
    const OpMask uncovered = sets_.all() & ~(state.covered | set.ops);
    if (cost + sets_.floor(s) + worth(uncovered) >= limits_.upperBound) return;
    const OpMask keepable = set.tile & sets_.retainable() & ~state.resident;
    for (OpMask retained = keepable;; retained = (retained - 1) & keepable) {
      const OpMask storable = set.wanted & ~retained & ~state.slow;
      for (OpMask interior = storable;; interior = (interior - 1) & storable) {
        step(state, cost, s, {state.resident, retained, (set.sinks & ~retained) | interior});
        if (interior == 0) break;
      }
      if (retained == 0) break;
    }
  }

  void step(const State& state, double cost, std::size_t s, const StepKept& kept) {
    State next{state.covered | sets_[s].ops, state.slow | kept.stored, kept.retained};
    // A tensor that nothing waits for counts as stored, which only widens the choice.
    for (OpMask left = next.covered & ~next.slow & ~sets_.outputs(); left != 0; left &= left - 1) {
      const auto o = static_cast<std::size_t>(std::countr_zero(left));
      if ((sets_.takers(o) & ~next.covered) == 0) next.slow |= OpMask{1} << o;
    }
    if (next == state) return;
    const auto known = best_.find(next);
    if (known != best_.end() && known->second.cost <= cost + sets_.floor(s)) return;
    const double rest = restOf(next);
    if (cost + sets_.floor(s) + rest >= limits_.upperBound) return;
    const double total = cost + sets_.cost(s, kept);
    if (total + rest < limits_.upperBound) reach(next, {total, &state, s});
  }

  void reach(const State& state, const Reached& reached) {
    const auto [it, fresh] = best_.emplace(state, reached);
    if (!fresh && it->second.cost <= reached.cost) return;
    it->second = reached;
    queue_.push({reached.cost + restOf(state), reached.cost, state});
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
  StepSets sets_;
  CoveringPrices prices_;
  std::unordered_map<State, Reached, StateHash> best_;
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
