#include "engine/plan_splice.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/step_shape.h"

namespace tilebeam {
namespace {

// Steps [first, last) of a plan, between two places where nothing is retained.
struct Stretch {
  const Plan* plan = nullptr;
  std::size_t first = 0;
  std::size_t last = 0;
  std::size_t covered = 0;  // ops before it
  std::size_t reached = 0;  // with its own
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
    next.reached = covered;
    stretches.push_back(next);
    next = {&plan, i + 1, i + 1, covered, covered, next.to, next.to, 0};
  }
}

// The cheapest way found to cover a set of ops.
struct Way {
  std::uint64_t set = 0;  // its hash
  double cost = 0;
  const Stretch* end = nullptr;  // null: nothing is covered
  std::size_t next = 0;          // another set of as many ops; 0: none
};

// By the number of ops: as a rule all plans cover the same sets, one of each size.
class Ways {
 public:
  // Of so many ops, by so many stretches at most.
  Ways(std::size_t opCount, std::size_t stretches) : first_(opCount + 1, 0) {
    ways_.reserve(stretches + 2);
    ways_.emplace_back();  // the place that means none
    add({});
  }

  void offer(const Stretch& s) {
    const double cost = ways_[find(s.covered, s.from)].cost + s.latency;
    const std::size_t known = find(s.reached, s.to);
    if (known == 0) {
      add({s.to, cost, &s});
    } else if (cost < ways_[known].cost * kWorthwhile) {
      ways_[known].cost = cost;
      ways_[known].end = &s;
    }
  }

  // That to the set of all ops, from its first stretch on.
  std::vector<const Stretch*> path() const {
    std::vector<const Stretch*> path;
    for (const Stretch* s = ways_[first_.back()].end; s != nullptr;
         s = ways_[find(s->covered, s->from)].end) {
      path.push_back(s);
    }
    std::reverse(path.begin(), path.end());
    return path;
  }

 private:
  void add(Way way) {
    std::size_t& first = first_[way.end != nullptr ? way.end->reached : 0];
    way.next = std::exchange(first, ways_.size());
    ways_.push_back(way);
  }

  std::size_t find(std::size_t size, std::uint64_t set) const {
    std::size_t way = first_[size];
    while (way != 0 && ways_[way].set != set) way = ways_[way].next;
    return way;
  }

  std::vector<std::size_t> first_;  // by the number of ops
  std::vector<Way> ways_;
};

double latencyOf(const std::vector<const Stretch*>& path) {
  double sum = 0;
  for (const Stretch* s : path) {
    for (std::size_t i = s->first; i < s->last; ++i) sum += s->plan->steps[i].best.latency;
  }
  return sum;
}

}  // namespace

Plan splice(std::span<const Plan* const> plans, double limit) {
  std::vector<Stretch> stretches;
  for (const Plan* plan : plans) {
    const auto before = static_cast<std::ptrdiff_t>(stretches.size());
    addStretches(*plan, stretches);
    std::inplace_merge(stretches.begin(), stretches.begin() + before, stretches.end(),
                       [](const Stretch& a, const Stretch& b) { return a.covered < b.covered; });
  }
  Ways ways(opsRun(*plans.front()), stretches.size());
  for (const Stretch& s : stretches) ways.offer(s);
  const std::vector<const Stretch*> path = ways.path();
  Plan best;
  best.latency = latencyOf(path);
  if (!(best.latency < limit)) return {};
  for (const Stretch* s : path) {
    const auto begin = s->plan->steps.begin();
    best.steps.insert(best.steps.end(), begin + static_cast<std::ptrdiff_t>(s->first),
                      begin + static_cast<std::ptrdiff_t>(s->last));
  }
  return best;
}

}  // namespace tilebeam
