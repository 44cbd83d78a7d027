// The best order of a step's tiles, beyond the named traversals: what the granularity search has no
// time for on thousands of steps, but has on the few of a schedule.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "engine/step_optimiser.h"
#include "engine/trace_recorder.h"

namespace tilebeam {

// A step's form with its tiles listed, if no named traversal stands for them.
struct OrderedStep {
  BestStep best;
  std::vector<std::int64_t> order;
};

class OrderSearch {
 public:
  // `known` is what there is to better. `subgraph` and `recorder` outlive it.
  OrderSearch(const Subgraph& subgraph, const StepContext& context, DepthReading depth,
              OrderedStep known, TraceRecorder& recorder = TraceRecorder::none())
      : subgraph_(subgraph),
        simulator_(subgraph, context, depth),
        capacity_(subgraph.problem().hardware().fastMemoryCapacity),
        best_(std::move(known)),
        recorder_(recorder) {}

  // Named traversals, from all corners where these differ; of few tiles, those that differ from the
  // best of these, or from `order`, if given, in stretches that are gone through backwards. What is
  // out of the ordinary is tried only where the ordinary comes near the best.
  void tryAt(const Granularity& g, const std::vector<std::int64_t>& order = {});

  // All calls together may take some tenth of a second; from then on they try nothing.
  bool exhausted() const { return effortLeft_ <= 0; }

  const OrderedStep& best() const { return best_; }

 private:
  void tryCorners();
  void reverseStretches();
  void tryReversals(const std::vector<std::int64_t>& base);
  void tryNamed(TraversalKind kind, StartCorner start);
  void tryListed(const std::vector<std::int64_t>& order);
  StepCost costOf(const std::vector<std::int64_t>& order) const;
  void keep(const StepCost& cost, TraversalKind kind, StartCorner start,
            const std::vector<std::int64_t>& order);
  bool isNear() const;
  bool isLine() const { return columns_ == 1 || rows_ == 1; }

  const Subgraph& subgraph_;
  const CollapsedSimulator simulator_;
  std::int64_t capacity_;
  OrderedStep best_;
  TraceRecorder& recorder_;
  std::int64_t effortLeft_ = std::int64_t{1} << 16;  // in tiles that are walked one by one
  // Of the granularity at hand.
  Granularity granularity_;
  std::int64_t columns_ = 0;
  std::int64_t rows_ = 0;
  OrderedStep here_;
};

}  // namespace tilebeam
