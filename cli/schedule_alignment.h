// Two valid schedules of one problem, cut where they have computed the same ops.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tilebeam/problem.h"
#include "tilebeam/schedule.h"
#include "tilebeam/schedule_evaluator.h"

namespace tilebeam::cli {

struct JudgedSchedule {
  const Schedule& schedule;
  const Evaluation& evaluation;  // its own; valid
};

// Steps [first, last).
struct StepRange {
  std::size_t first = 0;
  std::size_t last = 0;

  std::size_t size() const { return last - first; }
};

// One side of a segment.
struct SegmentSide {
  StepRange steps;
  double latency = 0;
  std::vector<OpId> remade;  // ops run again that some step has run before; sorted
};

// Steps of either schedule that bring it from one set of computed ops to the next that both reach.
struct Segment {
  std::size_t ops = 0;  // that it computes for the first time
  SegmentSide a;
  SegmentSide b;
  std::vector<std::string>
      differences;  // see differencesOf; empty: the same steps at the same cost

  double delta() const { return b.latency - a.latency; }
  bool same() const { return differences.empty(); }
};

// As many segments as can be. Steps that compute nothing new belong to the segment behind them.
std::vector<Segment> alignSchedules(const Problem& problem, const JudgedSchedule& a,
                                    const JudgedSchedule& b);

}  // namespace tilebeam::cli
