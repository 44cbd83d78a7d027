#include "engine/plan_splice.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "engine/step_shape.h"

namespace tilebeam {
namespace {

// Steps [first, last) of a plan, between two places where nothing is retained.
struct Stretch {
  const Plan* plan = nullptr;
  std::size_t first = 0;
  std::size_t last = 0;
  std::size_t covered = 0;  // ops before it
  std::uint64_t from = 0;   // hash of those ops
  std::uint64_t to = 0;     // with its own
  double latency = 0;
};

void addStretches(const Plan& plan, std::vector<Stretch>& stretches) {
  Stretch next{&plan};
  std::size_t covered = 0;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const PlannedStep& step = plan.steps[i];
    next.latency += step.best.latency;
    covered += step.ops.size();
    for (const OpId o : step.ops) next.to += opSetHash(o);
    if (!step.retained.empty()) continue;
    next.last = i + 1;
    stretches.push_back(next);
    next = {&plan, i + 1, i + 1, covered, next.to, next.to, 0};
  }
}

// The cheapest way found to cover a set of ops.
struct Way {
  double cost = 0;
  const Stretch* end = nullptr;  // null: nothing is covered
};

}  // namespace

Plan splice(std::span<const Plan* const> plans) {
  std::vector<Stretch> stretches;
  for (const Plan* plan : plans) addStretches(*plan, stretches);
  std::stable_sort(stretches.begin(), stretches.end(),
                   [](const Stretch& a, const Stretch& b) { return a.covered < b.covered; });
  std::unordered_map<std::uint64_t, Way> ways;
  ways.reserve(stretches.size());
  ways[0] = {};
  std::uint64_t all = 0;
  for (const Stretch& s : stretches) {
    const double cost = ways.at(s.from).cost + s.latency;
    const auto [place, fresh] = ways.try_emplace(s.to, Way{cost, &s});
    if (!fresh && cost < place->second.cost * kWorthwhile) place->second = {cost, &s};
    if (s.last == s.plan->steps.size()) all = s.to;
  }
  std::vector<const Stretch*> path;
  for (const Stretch* s = ways.at(all).end; s != nullptr; s = ways.at(s->from).end) {
    path.push_back(s);
  }
  Plan best;
  for (auto it = path.rbegin(); it != path.rend(); ++it) {
    const Stretch& s = **it;
    const auto begin = s.plan->steps.begin();
    best.steps.insert(best.steps.end(), begin + static_cast<std::ptrdiff_t>(s.first),
                      begin + static_cast<std::ptrdiff_t>(s.last));
  }
  best.latency = latencyOf(best.steps);
  return best;
}

}  // namespace tilebeam
