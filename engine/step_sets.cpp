#include "engine/step_sets.h"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "engine/step_scorer.h"
#include "tilebeam/lower_bound.h"
#include "tilebeam/step_bound.h"

namespace tilebeam {
namespace {

// Contexts in which a set's cost is looked at, before its floor is left at what the traffic says.
constexpr int kMostChoices = 6;  // two to this power

OpMask bitOf(OpId o) { return OpMask{1} << o.index(); }

std::size_t lowest(OpMask mask) { return static_cast<std::size_t>(std::countr_zero(mask)); }

// The bits of `mask` by the place of their ops in `list`.
OpMask places(OpMask mask, std::span<const OpId> list) {
  OpMask result = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if ((mask & bitOf(list[i])) != 0) result |= OpMask{1} << i;
  }
  return result;
}

}  // namespace

std::size_t StepSets::CostKeyHash::operator()(const CostKey& k) const noexcept {
  const std::uint64_t kept = mix(mix(k.shape.low ^ k.shape.high) ^ k.retained);
  return static_cast<std::size_t>(
      mix(mix(kept ^ k.stored) ^ static_cast<std::uint64_t>(k.otherResidents)));
}

StepSets::StepSets(const Problem& problem, DepthReading depth, std::function<bool()> stop,
                   BoundEffort effort)
    : problem_(problem), depth_(depth), stop_(std::move(stop)), boundEffort_(effort) {
  for (std::size_t i = 0; i < problem.opCount(); ++i) describe(OpId::fromIndex(i));
}

void StepSets::describe(OpId o) {
  const TensorId t = problem_.op(o).output;
  const Graph& graph = problem_.graph();
  all_ |= bitOf(o);
  compute_.push_back(opComputeBound(problem_, o, depth_));
  OpMask takers = 0;
  for (const OpId c : graph.consumers(t)) takers |= bitOf(c);
  takers_.push_back(takers);
  OpMask makers = 0;
  for (const TensorId input : problem_.op(o).inputs) {
    if (graph.producer(input).valid()) makers |= bitOf(graph.producer(input));
  }
  makers_.push_back(makers);
  if (takers == 0) outputs_ |= bitOf(o);
  if (problem_.tensor(t).area() <= problem_.hardware().fastMemoryCapacity) {
    retainable_ |= bitOf(o);
  }
}

bool StepSets::find(std::size_t limit) {
  const auto masks = connectedSets(problem_, limit, [this] { return stopped(); });
  if (!masks) return false;
  for (std::size_t i = 0; i < masks->size(); ++i) {
    if (i % 1024 == 0 && stopped()) return false;
    add((*masks)[i]);
  }
  return true;
}

void StepSets::add(OpMask ops) {
  const Subgraph subgraph(problem_, listOf(ops));
  if (subgraph.violation()) return;
  StepSet set;
  set.ops = ops;
  for (const OpId o : subgraph.ops()) {
    const TensorId t = problem_.op(o).output;
    set.external |= makers_[o.index()] & ~ops;
    set.compute += compute_[o.index()];
    if (!subgraph.atTilePosition(t)) continue;
    set.tile |= bitOf(o);
    if (subgraph.isSinkOutput(t)) {
      set.sinks |= bitOf(o);
    } else if ((takers_[o.index()] & ~ops) != 0) {
      set.wanted |= bitOf(o);
    }
  }
  sets_.push_back(set);
  floors_.push_back(set.compute);
  effort_.push_back(Effort::kCompute);
}

std::vector<OpId> StepSets::listOf(OpMask ops) const {
  std::vector<OpId> list;
  for (const OpId o : problem_.graph().topologicalOrder()) {
    if ((ops & bitOf(o)) != 0) list.push_back(o);
  }
  return list;
}

std::vector<TensorId> StepSets::outputsOf(OpMask ops) const {
  std::vector<TensorId> list;
  for (; ops != 0; ops &= ops - 1) {
    list.push_back(problem_.op(OpId::fromIndex(lowest(ops))).output);
  }
  std::sort(list.begin(), list.end());
  return list;
}

std::int64_t StepSets::areaOf(OpMask outputs) const {
  std::int64_t area = 0;
  for (; outputs != 0; outputs &= outputs - 1) {
    area += problem_.tensor(problem_.op(OpId::fromIndex(lowest(outputs))).output).area();
  }
  return area;
}

double StepSets::cost(std::size_t index, const StepKept& kept) const {
  const StepSet& set = sets_[index];
  const std::vector<OpId> list = listOf(set.ops);
  // A resident tensor that the step does not take is just so much space.
  const OpMask used = kept.resident & set.external;
  CostKey key{digestShape(problem_, list, 0), places(kept.retained, list),
              places(kept.stored, list), areaOf(kept.resident & ~used)};
  const std::vector<TensorId> externals = externalsByFirstUse(problem_, list);
  for (std::size_t i = 0; i < externals.size(); ++i) {
    const OpId maker = problem_.graph().producer(externals[i]);
    if (maker.valid() && (used & bitOf(maker)) != 0) key.shape.high = mix(key.shape.high ^ (i + 1));
  }
  const auto known = costs_.find(key);
  if (known != costs_.end()) return known->second;
  const StepContext context{outputsOf(used), outputsOf(kept.stored), outputsOf(kept.retained)};
  const double cost =
      std::max(set.compute, stepLowerBound(Subgraph(problem_, list), context, depth_,
                                           key.otherResidents, stop_, boundEffort_));
  costs_.emplace(key, cost);
  return cost;
}

// The floor where all that can be is resident or retained, and takes no space.
double StepSets::trafficFloor(const StepSet& set) const {
  const OpMask retained = set.sinks & retainable_;
  const StepContext context{outputsOf(set.external & retainable_), outputsOf(set.sinks & ~retained),
                            outputsOf(retained)};
  return stepFloor(Subgraph(problem_, listOf(set.ops)), context, depth_);
}

// The least cost over the tensors that may be resident or retained. Interior ones that are kept
// besides, and residents that are of no use, only make it dearer.
std::optional<double> StepSets::leastCost(std::size_t index) const {
  const StepSet& set = sets_[index];
  const OpMask given = set.external & retainable_;
  const OpMask left = set.sinks & retainable_;
  if (std::popcount(given) + std::popcount(left) > kMostChoices) return floors_[index];
  double least = std::numeric_limits<double>::infinity();
  for (OpMask resident = given;; resident = (resident - 1) & given) {
    for (OpMask retained = left;; retained = (retained - 1) & left) {
      if (stopped()) return std::nullopt;
      if (areaOf(resident) + areaOf(retained) <= problem_.hardware().fastMemoryCapacity) {
        least = std::min(least, cost(index, {resident, retained, set.sinks & ~retained}));
      }
      if (retained == 0) break;
    }
    if (resident == 0) break;
  }
  return least;
}

void StepSets::raiseFloors(std::span<const std::size_t> sets) {
  oneapi::tbb::parallel_for(std::size_t{0}, sets.size(), [&](std::size_t i) {
    const std::size_t s = sets[i];
    const bool first = effort_[s] == Effort::kCompute;
    const auto raised = first ? std::optional(trafficFloor(sets_[s])) : leastCost(s);
    if (!raised) return;
    floors_[s] = std::max(floors_[s], *raised);
    effort_[s] = first ? Effort::kTraffic : Effort::kAllContexts;
  });
}

void StepSets::prune(const std::function<bool(std::size_t)>& keep) {
  std::size_t kept = 0;
  for (std::size_t s = 0; s < sets_.size(); ++s) {
    if (!keep(s)) continue;
    sets_[kept] = sets_[s];
    floors_[kept] = floors_[s];
    effort_[kept] = effort_[s];
    ++kept;
  }
  sets_.resize(kept);
  floors_.resize(kept);
  effort_.resize(kept);
}

}  // namespace tilebeam
