#include "engine/step_unions.h"

#include <algorithm>
#include <tuple>

#include "engine/limits.h"

namespace tilebeam {
namespace {

// Of so many consumers of a tensor the next ones count as neighbours.
constexpr std::size_t kMostSiblings = 8;

// By op, the last step that runs it.
std::vector<std::size_t> stepsOfOps(const Problem& problem, const Plan& plan) {
  std::vector<std::size_t> steps(problem.opCount());
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    for (const OpId o : plan.steps[i].ops) steps[o.index()] = i;
  }
  return steps;
}

// The steps, later than step `i`, that share a tensor with it.
std::vector<std::size_t> laterNeighbours(const Problem& problem, const Plan& plan,
                                         const std::vector<std::size_t>& stepOf, std::size_t i) {
  const Graph& graph = problem.graph();
  std::vector<std::size_t> found;
  const auto addConsumers = [&](TensorId t) {
    const auto takers = graph.consumers(t);
    for (std::size_t k = 0; k < std::min(takers.size(), kMostSiblings); ++k) {
      if (stepOf[takers[k].index()] > i) found.push_back(stepOf[takers[k].index()]);
    }
  };
  for (const OpId o : plan.steps[i].ops) {
    const Op& op = problem.op(o);
    std::for_each(op.inputs.begin(), op.inputs.end(), addConsumers);
    addConsumers(op.output);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace

StepUnions::StepUnions(const Problem& problem, const Plan& plan) {
  const Graph& graph = problem.graph();
  const std::vector<std::size_t> stepOf = stepsOfOps(problem, plan);
  const auto earlier = [&](OpId a, OpId b) { return graph.position(a) < graph.position(b); };
  const auto add = [&](std::vector<OpId> ops) {
    std::sort(ops.begin(), ops.end(), earlier);
    ops.erase(std::unique(ops.begin(), ops.end()), ops.end());
    if (ops.size() > 1 && ops.size() <= kMaxCandidateOps) sets_.push_back(std::move(ops));
  };
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const std::vector<OpId>& ops = plan.steps[i].ops;
    add(ops);
    for (const std::size_t j : laterNeighbours(problem, plan, stepOf, i)) {
      std::vector<OpId> both = ops;
      both.insert(both.end(), plan.steps[j].ops.begin(), plan.steps[j].ops.end());
      add(std::move(both));
    }
  }
  std::sort(sets_.begin(), sets_.end(), [&](const auto& a, const auto& b) {
    const Position p = graph.position(a.front());
    const Position q = graph.position(b.front());
    return p != q ? p < q : a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  for (const auto& set : sets_) first_.push_back(graph.position(set.front()));
}

std::span<const std::vector<OpId>> StepUnions::startingAt(Position p) const {
  const auto [begin, end] = std::equal_range(first_.begin(), first_.end(), p);
  return std::span(sets_).subspan(static_cast<std::size_t>(begin - first_.begin()),
                                  static_cast<std::size_t>(end - begin));
}

}  // namespace tilebeam
