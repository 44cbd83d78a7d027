// The best form of a set of ops in a context, from the cache or by the granularity search. Safe to
// call from any number of workers.
#pragma once

#include <oneapi/tbb/enumerable_thread_specific.h>

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/step_cache.h"
#include "engine/trace_recorder.h"
#include "engine/worker_counters.h"

namespace tilebeam {

class StepScorer {
 public:
  StepScorer(const Problem& problem, DepthReading depth, FeatureSet without = {})
      : problem_(problem),
        depth_(depth),
        optimisers_([without] { return StepOptimiser(without); }) {}

  // The latency of each op alone, by op, infinite where one does not fit. From now on a step that
  // is dear in comparison counts as one that does not fit: most of the search for granularities
  // went into such. Call before any such step is scored, since the cache keeps what it has.
  void setSingles(std::vector<double> latencies) { singles_ = std::move(latencies); }

  // A digest of the ops, which are in topological order, and which of them are needed outside.
  StepKey keyOf(std::span<const OpId> ops) const;

  // The same with what is carried in, and what is kept of what the ops make; all else that is
  // needed outside is stored. Residents beyond the externals that a key tells apart count as space
  // alone.
  StepKey keyOf(std::span<const OpId> ops, std::span<const TensorId> resident,
                std::span<const TensorId> retained) const;

  // The same for a step of a plan, in its place. Nothing if there are more ops or externals than a
  // key tells apart.
  std::optional<StepKey> keyOf(std::span<const OpId> ops, const StepContext& context) const;

  // `key.shape` comes from keyOf(ops). A set that breaks a rule of the cost model in this context
  // is infeasible.
  const BestStep& score(std::span<const OpId> ops, const StepKey& key);

  // The same, unless some worker has been at it. Those with several steps to score do this with all
  // of them first: where layers repeat, others have the same steps to score at the same time.
  void scoreIfFirst(std::span<const OpId> ops, const StepKey& key) {
    if (cache_.claim(key)) score(ops, key);
  }

  // The same if it has been scored before, else null.
  const BestStep* known(const StepKey& key);

  // A better form of a step than its granularity search has found. Call while no worker scores.
  void improve(const StepKey& key, const BestStep& step) { cache_.improve(key, step); }

  const Problem& problem() const { return problem_; }
  DepthReading depth() const { return depth_; }
  WorkerCounters& counters() { return counters_; }
  const WorkerCounters& counters() const { return counters_; }
  std::size_t cachedSteps() const { return cache_.size(); }

  // Gives back what the cache takes. While no worker scores.
  void forget(TraceRecorder& recorder);

 private:
  BestStep optimise(std::span<const OpId> ops, const StepVariant& variant);
  double limitOf(std::span<const OpId> ops, const StepVariant& variant) const;

  const Problem& problem_;
  DepthReading depth_;
  StepCache cache_;
  WorkerCounters counters_;
  std::vector<double> singles_;  // empty: nothing is too dear
  oneapi::tbb::enumerable_thread_specific<StepOptimiser> optimisers_;
};

bool contains(std::span<const OpId> ops, OpId o);

// The external tensors of `ops` by first use: bit i of StepVariant::residentExternals is the i-th.
std::vector<TensorId> externalsByFirstUse(const Problem& problem, std::span<const OpId> ops);

// Whether an op beyond `ops` takes `t`.
bool neededOutside(const Problem& problem, TensorId t, std::span<const OpId> ops);

}  // namespace tilebeam
