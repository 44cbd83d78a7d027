// Large graphs are searched in segments: runs of ops in topological order, cut where few tensors
// cross. Nothing that a segment's steps do hangs on another's, so all are searched at once; steps
// that straddle the cuts come from rounds with other cuts and from windows.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "engine/beam_search.h"
#include "engine/candidate_generator.h"
#include "engine/search_effort.h"

namespace tilebeam {

// Positions [first, last).
struct Segment {
  Position first = 0;
  Position last = 0;
};

// Segments of about `ops` ops, at most kMaxWindow, that make up the whole graph; the first of
// `shift` times as many.
std::vector<Segment> cutSegments(const Problem& problem, std::size_t ops, double shift);

class SegmentSearch {
 public:
  // `opFloors` by position.
  SegmentSearch(StepScorer& scorer, const RoundEffort& effort, const std::vector<double>& opFloors,
                const BeamOptions& beam)
      : scorer_(scorer), effort_(effort), opFloors_(opFloors), beam_(beam) {}

  // The segments' best plans, one after the other; empty if a segment has none or `stop` said true.
  // With `singles` given, prices are shares of the segments' candidates, which are left in
  // `prices`. Call within the arena that is to do the work.
  std::optional<Plan> run(const std::vector<Segment>& segments, OpPrices& prices,
                          const OpPrices* singles, const std::function<bool()>& stop,
                          TraceRecorder& recorder = TraceRecorder::none()) const;

 private:
  StepScorer& scorer_;
  const RoundEffort& effort_;
  const std::vector<double>& opFloors_;
  BeamOptions beam_;
};

}  // namespace tilebeam
