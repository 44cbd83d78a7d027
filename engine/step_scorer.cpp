#include "engine/step_scorer.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "engine/recorded_tasks.h"

namespace tilebeam {

bool contains(std::span<const OpId> ops, OpId o) {
  return std::find(ops.begin(), ops.end(), o) != ops.end();
}

std::vector<TensorId> externalsByFirstUse(const Problem& problem, std::span<const OpId> ops) {
  std::vector<TensorId> externals;
  for (const OpId o : ops) {
    for (const TensorId t : problem.op(o).inputs) {
      const OpId producer = problem.graph().producer(t);
      if (producer.valid() && contains(ops, producer)) continue;
      if (std::find(externals.begin(), externals.end(), t) == externals.end()) {
        externals.push_back(t);
      }
    }
  }
  return externals;
}

bool neededOutside(const Problem& problem, TensorId t, std::span<const OpId> ops) {
  const auto consumers = problem.graph().consumers(t);
  return consumers.size() > ops.size() ||
         std::any_of(consumers.begin(), consumers.end(),
                     [&](OpId consumer) { return !contains(ops, consumer); });
}

StepKey StepScorer::keyOf(std::span<const OpId> ops) const {
  std::uint64_t outside = 0;
  for (std::size_t i = 0; i < ops.size() && i < 64; ++i) {
    const TensorId t = problem_.op(ops[i]).output;
    if (problem_.isGraphOutput(t) || neededOutside(problem_, t, ops)) {
      outside |= std::uint64_t{1} << i;
    }
  }
  return {digestShape(problem_, ops, outside), {}};
}

StepKey StepScorer::keyOf(std::span<const OpId> ops, std::span<const TensorId> resident,
                          std::span<const TensorId> retained) const {
  StepKey key = keyOf(ops);
  if (!resident.empty()) {
    const std::vector<TensorId> externals = externalsByFirstUse(problem_, ops);
    for (const TensorId t : resident) {
      key.variant.residentArea += problem_.tensor(t).area();
      const auto place = std::find(externals.begin(), externals.end(), t);
      const auto i = static_cast<std::size_t>(place - externals.begin());
      if (i < kMaxCandidateExternals) key.variant.residentExternals |= std::uint32_t{1} << i;
    }
  }
  for (const TensorId t : retained) {
    const auto place = std::find(ops.begin(), ops.end(), problem_.graph().producer(t));
    key.variant.retained |= opBit(static_cast<std::size_t>(place - ops.begin()));
  }
  return key;
}

std::optional<StepKey> StepScorer::keyOf(std::span<const OpId> ops,
                                         const StepContext& context) const {
  if (ops.size() > kMaxCandidateOps) return std::nullopt;
  StepKey key = keyOf(ops, context.resident, context.retained);
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const TensorId t = problem_.op(ops[i]).output;
    const bool stored =
        std::find(context.stored.begin(), context.stored.end(), t) != context.stored.end();
    const bool retained = (key.variant.retained & opBit(i)) != 0;
    if (!stored && !retained && (problem_.isGraphOutput(t) || neededOutside(problem_, t, ops))) {
      key.variant.unstored |= opBit(i);
    }
  }
  const auto isTaken = [&](TensorId t) {
    const OpId producer = problem_.graph().producer(t);
    if (producer.valid() && contains(ops, producer)) return false;
    const auto takers = problem_.graph().consumers(t);
    return std::any_of(takers.begin(), takers.end(), [&](OpId o) { return contains(ops, o); });
  };
  const auto taken = std::count_if(context.resident.begin(), context.resident.end(), isTaken);
  if (taken != std::popcount(key.variant.residentExternals)) return std::nullopt;
  return key;
}

const BestStep* StepScorer::known(const StepKey& key) {
  const BestStep* const step = cache_.find(key);
  if (step != nullptr) ++counters_.local().stepCacheHits;
  return step;
}

const BestStep& StepScorer::score(std::span<const OpId> ops, const StepKey& key) {
  if (const BestStep* step = known(key)) return *step;
  ++counters_.local().stepCacheMisses;
  return cache_.insert(key, optimise(ops, key.variant));
}

// The ops alone store all that the step stores, so that a dearer step is only worth having for what
// it becomes once it takes a tensor from the step before or hands one on.
double StepScorer::limitOf(std::span<const OpId> ops, const StepVariant& variant) const {
  constexpr double kMostAlone = 1.3;
  constexpr double kMostWithNeighbours = 2;
  if (singles_.empty()) return std::numeric_limits<double>::infinity();
  const bool onItsOwn = variant.retained == 0 && variant.residentArea == 0;
  if (onItsOwn && ops.size() == 1) return std::numeric_limits<double>::infinity();
  double alone = 0;
  for (const OpId o : ops) alone += singles_[o.index()];
  return alone * (onItsOwn ? kMostAlone : kMostWithNeighbours);
}

BestStep StepScorer::optimise(std::span<const OpId> ops, const StepVariant& variant) {
  const Subgraph subgraph(problem_, {ops.begin(), ops.end()});
  if (subgraph.violation()) return {};
  StepContext context;
  std::int64_t extraArea = variant.residentArea;
  if (variant.residentExternals != 0) {
    const std::vector<TensorId> externals = externalsByFirstUse(problem_, ops);
    for (std::size_t i = 0; i < externals.size() && i < kMaxCandidateExternals; ++i) {
      if ((variant.residentExternals >> i & 1U) == 0) continue;
      context.resident.push_back(externals[i]);
      extraArea -= problem_.tensor(externals[i]).area();
    }
    std::sort(context.resident.begin(), context.resident.end());
  }
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const TensorId t = problem_.op(ops[i]).output;
    const bool retained = (variant.retained & opBit(i)) != 0;
    const bool unstored = (variant.unstored & opBit(i)) != 0;
    const bool stored =
        !retained && !unstored && (subgraph.isSinkOutput(t) || neededOutside(problem_, t, ops));
    if (!retained && !stored) continue;
    if (!subgraph.atTilePosition(t)) return {};
    (retained ? context.retained : context.stored).push_back(t);
  }
  StepOptimiser& optimiser = optimisers_.local();
  const std::int64_t before = optimiser.evaluations();
  const BestStep best =
      optimiser.optimise(subgraph, context, depth_, extraArea, limitOf(ops, variant));
  counters_.local().stepsScored += optimiser.evaluations() - before;
  return best;
}

void StepScorer::forget(TraceRecorder& recorder) {
  sharedOut(recorder, TraceKind::kOther, StepCache::kParts,
            [this](std::size_t part) { cache_.forget(part); });
}

}  // namespace tilebeam
