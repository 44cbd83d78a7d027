#include "engine/step_chains.h"

#include <algorithm>
#include <iterator>

#include "engine/limits.h"

namespace tilebeam {

BestStep StepChains::score(const std::vector<OpId>& ops, std::span<const TensorId> resident,
                           std::span<const TensorId> retained) const {
  if (ops.size() > kMaxCandidateOps || stop_()) return {};
  if (graph_.position(ops.back()) - graph_.position(ops.front()) >= kMaxWindow) return {};
  OpBits remade = 0;
  if (rules_.judge(ops, remade) != SetVerdict::kFeasible) return {};
  ++scorer_.counters().local().candidates;
  return scorer_.score(ops, scorer_.keyOf(ops, resident, retained));
}

bool StepChains::rescore(StepChain& chain, std::size_t step) const {
  PlannedStep& s = chain[step];
  std::span<const TensorId> resident;
  if (step > 0) resident = chain[step - 1].retained;
  s.best = score(s.ops, resident, s.retained);
  s.order.clear();
  return s.best.feasible();
}

bool StepChains::isHandedOn(TensorId t, const std::vector<OpId>& from,
                            const std::vector<OpId>& to) const {
  bool taken = false;
  for (const OpId o : graph_.consumers(t)) {
    if (contains(to, o)) {
      taken = true;
    } else if (!contains(from, o)) {
      return false;
    }
  }
  return taken;
}

std::vector<TensorId> StepChains::handedOn(const std::vector<OpId>& from,
                                           const std::vector<OpId>& to) const {
  std::vector<TensorId> found;
  for (const OpId o : from) {
    const TensorId t = scorer_.problem().op(o).output;
    if (isHandedOn(t, from, to)) found.push_back(t);
  }
  return found;
}

bool StepChains::holdsTogether(const StepChain& chain) const {
  const auto takesFrom = [this](OpId o, const std::vector<OpId>& ops) {
    const std::vector<TensorId>& inputs = scorer_.problem().op(o).inputs;
    return std::any_of(inputs.begin(), inputs.end(), [&](TensorId t) {
      return graph_.producer(t).valid() && contains(ops, graph_.producer(t));
    });
  };
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const std::vector<OpId>& ops = chain[i].ops;
    for (const TensorId t : chain[i].retained) {
      if (i + 1 == chain.size() || !contains(ops, graph_.producer(t)) ||
          !isHandedOn(t, ops, chain[i + 1].ops)) {
        return false;
      }
    }
    for (std::size_t later = i + 1; later < chain.size(); ++later) {
      if (std::any_of(ops.begin(), ops.end(),
                      [&](OpId o) { return takesFrom(o, chain[later].ops); })) {
        return false;
      }
    }
  }
  return true;
}

std::vector<OpId> StepChains::united(const std::vector<OpId>& a, const std::vector<OpId>& b) const {
  std::vector<OpId> all;
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all),
             [this](OpId x, OpId y) { return graph_.position(x) < graph_.position(y); });
  return all;
}

}  // namespace tilebeam
