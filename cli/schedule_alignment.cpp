#include "cli/schedule_alignment.h"

#include <algorithm>

#include "cli/segment_differences.h"

namespace tilebeam::cli {
namespace {

// A well-mixed number per op: sets of ops are compared by the sum over their members.
std::uint64_t mixed(OpId o) {
  std::uint64_t z = (static_cast<std::uint64_t>(o.index()) + 1) * 0x9E3779B97F4A7C15U;
  z = (z ^ z >> 30U) * 0xBF58476D1CE4E5B9U;
  z = (z ^ z >> 27U) * 0x94D049BB133111EBU;
  return z ^ z >> 31U;
}

// The ops computed before a step: how many, and which.
struct Covered {
  std::size_t count = 0;
  std::uint64_t digest = 0;

  friend bool operator==(const Covered&, const Covered&) = default;
};

// Before each step, and after the last.
std::vector<Covered> coverage(const Problem& problem, const Schedule& schedule) {
  std::vector<bool> done(problem.opCount(), false);
  std::vector<Covered> list(1);
  for (const Step& step : schedule.steps) {
    Covered next = list.back();
    for (const OpId o : step.ops) {
      if (done[o.index()]) continue;
      done[o.index()] = true;
      ++next.count;
      next.digest += mixed(o);
    }
    list.push_back(next);
  }
  return list;
}

// Fills one side of the segments, in order.
class SideFiller {
 public:
  SideFiller(const Problem& problem, const JudgedSchedule& judged)
      : judged_(judged), done_(problem.opCount(), false) {}

  SegmentSide upTo(std::size_t last) {
    SegmentSide side;
    side.steps = {next_, last};
    for (; next_ < last; ++next_) {
      side.latency += judged_.evaluation.steps[next_].account.cost.latency;
      for (const OpId o : judged_.schedule.steps[next_].ops) {
        if (done_[o.index()]) side.remade.push_back(o);
        done_[o.index()] = true;
      }
    }
    std::sort(side.remade.begin(), side.remade.end());
    return side;
  }

 private:
  const JudgedSchedule& judged_;
  std::vector<bool> done_;
  std::size_t next_ = 0;
};

}  // namespace

std::vector<Segment> alignSchedules(const Problem& problem, const JudgedSchedule& a,
                                    const JudgedSchedule& b) {
  const std::vector<Covered> coveredA = coverage(problem, a.schedule);
  const std::vector<Covered> coveredB = coverage(problem, b.schedule);
  SideFiller fillA(problem, a);
  SideFiller fillB(problem, b);
  std::vector<Segment> segments;
  std::size_t before = 0;
  const auto close = [&](std::size_t i, std::size_t j) {
    Segment& segment = segments.emplace_back();
    segment.ops = coveredA[i].count - before;
    before = coveredA[i].count;
    segment.a = fillA.upTo(i);
    segment.b = fillB.upTo(j);
    segment.differences = differencesOf(problem, a, b, segment);
  };
  std::size_t i = 1;
  std::size_t j = 1;
  while (i < coveredA.size() && j < coveredB.size()) {
    const std::size_t countA = coveredA[i].count;
    const std::size_t countB = coveredB[j].count;
    if (coveredA[i] == coveredB[j] && countA > before) close(i, j);
    // Where both stand at the same number but not the same ops, either may go on first.
    if (countA <= countB) ++i;
    if (countB <= countA) ++j;
  }
  // Steps behind the last new op: they only compute again.
  const std::size_t endA = a.schedule.steps.size();
  const std::size_t endB = b.schedule.steps.size();
  if (segments.back().a.steps.last < endA || segments.back().b.steps.last < endB) {
    close(endA, endB);
  }
  return segments;
}

}  // namespace tilebeam::cli
