// The sets of ops that may form a step of a small graph, and what a step that runs one of them
// takes at least: in a given context, or whatever the context. Costs are worked out when asked for.
#pragma once

#include <oneapi/tbb/concurrent_unordered_map.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "engine/connected_sets.h"
#include "engine/step_shape.h"
#include "tilebeam/step_bound.h"

namespace tilebeam {

// Tensors are known by their producers: bit i is the output of op i.
struct StepSet {
  OpMask ops = 0;
  OpMask external = 0;  // produced by other ops
  OpMask sinks = 0;
  OpMask tile = 0;    // outputs at tile position
  OpMask wanted = 0;  // interior outputs at tile position that ops beyond the set take
  double compute = 0;
};

// What a step finds and leaves: outputs resident, retained, and interior ones or sinks stored.
struct StepKept {
  OpMask resident = 0;
  OpMask retained = 0;
  OpMask stored = 0;
};

class StepSets {
 public:
  // `stop` is asked now and then, from any worker; may be empty.
  StepSets(const Problem& problem, DepthReading depth, std::function<bool()> stop = {},
           BoundEffort effort = BoundEffort::kThorough);

  bool stopped() const { return stop_ && stop_(); }

  // False if there are more than `limit` connected sets, or it was stopped.
  bool find(std::size_t limit);

  std::size_t size() const { return sets_.size(); }
  const StepSet& operator[](std::size_t i) const { return sets_[i]; }

  OpMask all() const { return all_; }
  OpMask outputs() const { return outputs_; }        // graph outputs
  OpMask retainable() const { return retainable_; }  // outputs that fit the fast memory
  OpMask takers(std::size_t op) const { return takers_[op]; }
  OpMask makers(std::size_t op) const { return makers_[op]; }  // of its inputs
  double compute(std::size_t op) const { return compute_[op]; }

  std::vector<OpId> listOf(OpMask ops) const;  // in topological order
  std::vector<TensorId> outputsOf(OpMask ops) const;

  // No step of the set in this context takes less. Safe to call from any number of workers.
  double cost(std::size_t set, const StepKept& kept) const;

  // No step of the set takes less in any context, as far as is known so far.
  double floor(std::size_t set) const { return floors_[set]; }
  bool settled(std::size_t set) const { return effort_[set] == Effort::kAllContexts; }

  // Works harder on the floors of these sets, all at once; different sets, none of them settled.
  // Leaves them as they are where it is stopped.
  void raiseFloors(std::span<const std::size_t> sets);

  // Keeps only the sets for which `keep` holds.
  void prune(const std::function<bool(std::size_t)>& keep);

  std::size_t knownCosts() const { return costs_.size(); }

 private:
  // What a set's floor rests on.
  enum class Effort : std::uint8_t { kCompute, kTraffic, kAllContexts };

  struct CostKey {
    ShapeDigest shape;    // with the external tensors that are resident
    OpMask retained = 0;  // by place in the set's list of ops
    OpMask stored = 0;
    std::int64_t otherResidents = 0;  // elements
    friend bool operator==(const CostKey&, const CostKey&) = default;
  };
  struct CostKeyHash {
    std::size_t operator()(const CostKey& k) const noexcept;
  };

  void describe(OpId o);
  void add(OpMask ops);
  std::int64_t areaOf(OpMask outputs) const;
  double trafficFloor(const StepSet& set) const;
  std::optional<double> leastCost(std::size_t set) const;

  const Problem& problem_;
  DepthReading depth_;
  std::function<bool()> stop_;
  BoundEffort boundEffort_;
  OpMask all_ = 0;
  OpMask outputs_ = 0;
  OpMask retainable_ = 0;
  std::vector<double> compute_;
  std::vector<OpMask> takers_;
  std::vector<OpMask> makers_;
  std::vector<StepSet> sets_;
  std::vector<double> floors_;
  std::vector<Effort> effort_;
  mutable oneapi::tbb::concurrent_unordered_map<CostKey, double, CostKeyHash> costs_;
};

}  // namespace tilebeam
