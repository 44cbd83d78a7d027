#include "engine/step_unions.h"

#include <algorithm>

#include "engine/limits.h"

namespace tilebeam {
namespace {

// Of so many consumers of a tensor the first ones count as neighbours.
constexpr std::size_t kMostSiblings = 8;

}  // namespace

StepUnions::StepUnions(const Problem& problem, const Plan& plan)
    : problem_(&problem), plan_(&plan), stepOf_(problem.opCount()) {
  const Graph& graph = problem.graph();
  for (Number i = 0; i < plan.steps.size(); ++i) {
    Position first = graph.position(plan.steps[i].ops.front());
    for (const OpId o : plan.steps[i].ops) {
      stepOf_[o.index()] = i;
      first = std::min(first, graph.position(o));
    }
    first_.push_back(first);
    starts_.emplace_back(first, i);
  }
  std::sort(starts_.begin(), starts_.end());
}

std::vector<std::vector<OpId>> StepUnions::startingAt(Position p) const {
  std::vector<std::vector<OpId>> sets;
  for (auto it = std::lower_bound(starts_.begin(), starts_.end(), std::pair(p, Number{0}));
       it != starts_.end() && it->first == p; ++it) {
    const Number i = it->second;
    const std::vector<OpId>& ops = plan_->steps[i].ops;
    add(ops, sets);
    for (const Number j : neighbours(i)) {
      // Two that begin with the same op make their union once.
      if (first_[j] < p || (first_[j] == p && j < i)) continue;
      std::vector<OpId> both = ops;
      both.insert(both.end(), plan_->steps[j].ops.begin(), plan_->steps[j].ops.end());
      add(std::move(both), sets);
    }
  }
  return sets;
}

// The steps that share a tensor with it.
std::vector<StepUnions::Number> StepUnions::neighbours(Number step) const {
  const Graph& graph = problem_->graph();
  std::vector<Number> found;
  const auto addOp = [&](OpId o) {
    if (stepOf_[o.index()] != step) found.push_back(stepOf_[o.index()]);
  };
  const auto addConsumers = [&](TensorId t) {
    const auto takers = graph.consumers(t);
    std::for_each(
        takers.begin(),
        takers.begin() + static_cast<std::ptrdiff_t>(std::min(takers.size(), kMostSiblings)),
        addOp);
  };
  for (const OpId o : plan_->steps[step].ops) {
    const Op& op = problem_->op(o);
    for (const TensorId t : op.inputs) {
      if (graph.producer(t).valid()) addOp(graph.producer(t));
      addConsumers(t);
    }
    addConsumers(op.output);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

void StepUnions::add(std::vector<OpId> ops, std::vector<std::vector<OpId>>& sets) const {
  const Graph& graph = problem_->graph();
  std::sort(ops.begin(), ops.end(),
            [&](OpId a, OpId b) { return graph.position(a) < graph.position(b); });
  ops.erase(std::unique(ops.begin(), ops.end()), ops.end());
  if (ops.size() > 1 && ops.size() <= kMaxCandidateOps) sets.push_back(std::move(ops));
}

}  // namespace tilebeam
