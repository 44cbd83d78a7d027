#include "engine/neighbours.h"

#include <algorithm>

namespace tilebeam {
namespace {

// The consumers of `t` that stand closest to `o`, no more than `siblings`.
void nearestConsumers(const Graph& graph, OpId o, TensorId t, std::size_t siblings,
                      std::vector<OpId>& nearest) {
  const auto takers = graph.consumers(t);
  if (takers.size() <= siblings) {
    nearest.assign(takers.begin(), takers.end());
    return;
  }
  const auto distance = [&](OpId other) {
    return std::abs(graph.position(other) - graph.position(o));
  };
  // Consumers stand in the order of their numbers, which for most graphs is close to topological.
  const auto middle = std::lower_bound(takers.begin(), takers.end(), o);
  const auto radius = static_cast<std::ptrdiff_t>(siblings);
  nearest.assign(middle - std::min(radius, middle - takers.begin()),
                 middle + std::min(radius, takers.end() - middle));
  std::sort(nearest.begin(), nearest.end(),
            [&](OpId a, OpId b) { return std::pair(distance(a), a) < std::pair(distance(b), b); });
  if (nearest.size() > siblings) nearest.resize(siblings);
}

}  // namespace

Neighbours::Neighbours(const Problem& problem, const SearchScope& scope, std::size_t siblings)
    : begin_(scope.begin()), ends_{0} {
  const Graph& graph = problem.graph();
  std::vector<OpId> nearest;
  for (Position p = scope.begin(); p < scope.end(); ++p) {
    const std::size_t first = positions_.size();
    const auto add = [&](OpId o) {
      const Position q = graph.position(o);
      if (q == p || !scope.contains(q)) return;
      const auto begin = positions_.begin() + static_cast<std::ptrdiff_t>(first);
      if (std::find(begin, positions_.end(), q) == positions_.end()) positions_.push_back(q);
    };
    const auto addNearest = [&](OpId o, TensorId t) {
      nearestConsumers(graph, o, t, siblings, nearest);
      std::for_each(nearest.begin(), nearest.end(), add);
    };
    if (scope.contains(p)) {
      const OpId o = graph.topologicalOrder()[static_cast<std::size_t>(p)];
      for (const TensorId t : problem.op(o).inputs) {
        if (graph.producer(t).valid()) add(graph.producer(t));
        addNearest(o, t);
      }
      addNearest(o, problem.op(o).output);
    }
    ends_.push_back(positions_.size());
  }
}

}  // namespace tilebeam
