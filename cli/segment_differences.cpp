#include "cli/segment_differences.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "cli/traversal_names.h"
#include "tilebeam/subgraph.h"

namespace tilebeam::cli {
namespace {

template <class List>
auto sorted(List list) {
  std::sort(list.begin(), list.end());
  return list;
}

// The tile as it is cut, so that one larger than the grid equals one that just spans it.
Granularity effective(const Subgraph& subgraph, Granularity g) {
  g.width = std::min(g.width, subgraph.gridWidth());
  g.height = std::min(g.height, subgraph.gridHeight());
  if (!subgraph.hasMatMul()) g.depth = 1;
  return g;
}

class SegmentComparison {
 public:
  SegmentComparison(const Problem& problem, const JudgedSchedule& a, const JudgedSchedule& b,
                    const Segment& segment)
      : problem_(problem), a_(a), b_(b), segment_(segment) {}

  std::vector<std::string> differences() {
    compareGroups();
    if (segment_.a.remade != segment_.b.remade) found_.insert("recomputation");
    if (kept(a_, segment_.a, true) != kept(b_, segment_.b, true)) found_.insert("retention");
    if (kept(a_, segment_.a, false) != kept(b_, segment_.b, false)) found_.insert("storing");
    if (residents(a_, segment_.a) != residents(b_, segment_.b)) found_.insert("residents");
    return {found_.begin(), found_.end()};
  }

 private:
  using OpSet = std::vector<OpId>;

  static std::vector<OpSet> groups(const JudgedSchedule& judged, const SegmentSide& side) {
    std::vector<OpSet> list;
    for (std::size_t i = side.steps.first; i < side.steps.last; ++i) {
      list.push_back(sorted(judged.schedule.steps[i].ops));
    }
    return list;
  }

  void compareGroups() {
    const std::vector<OpSet> groupsA = groups(a_, segment_.a);
    const std::vector<OpSet> groupsB = groups(b_, segment_.b);
    if (sorted(groupsA) != sorted(groupsB)) {
      found_.insert("grouping");
    } else if (groupsA != groupsB) {
      found_.insert("order");
    }
    // Equal sets are paired in the order in which they come.
    std::multimap<OpSet, std::size_t> open;
    for (std::size_t i = 0; i < groupsA.size(); ++i) open.emplace(groupsA[i], i);
    for (std::size_t j = 0; j < groupsB.size(); ++j) {
      const auto match = open.find(groupsB[j]);
      if (match == open.end()) continue;
      compareSteps(segment_.a.steps.first + match->second, segment_.b.steps.first + j);
      open.erase(match);
    }
  }

  void compareSteps(std::size_t i, std::size_t j) {
    const Step& a = a_.schedule.steps[i];
    const Step& b = b_.schedule.steps[j];
    const Subgraph subgraph(problem_, a.ops);  // the same for both, whatever their order
    if (effective(subgraph, a.granularity) != effective(subgraph, b.granularity)) {
      found_.insert("granularity");
    } else if (const TraversalKind kind = traversalOf(subgraph, a);
               kind != traversalOf(subgraph, b) ||
               (kind == TraversalKind::kExplicit && a.traversal.order != b.traversal.order)) {
      found_.insert("traversal");
    }
    if (sorted(a.retained) != sorted(b.retained)) found_.insert("retention");
    if (a_.evaluation.steps[i].stored != b_.evaluation.steps[j].stored) found_.insert("storing");
  }

  // All tensors that the steps of a side retain, or store.
  static std::vector<TensorId> kept(const JudgedSchedule& judged, const SegmentSide& side,
                                    bool retained) {
    std::vector<TensorId> list;
    for (std::size_t i = side.steps.first; i < side.steps.last; ++i) {
      const auto& tensors =
          retained ? judged.schedule.steps[i].retained : judged.evaluation.steps[i].stored;
      list.insert(list.end(), tensors.begin(), tensors.end());
    }
    return sorted(std::move(list));
  }

  static std::vector<TensorId> residents(const JudgedSchedule& judged, const SegmentSide& side) {
    if (side.steps.first == 0) return {};
    return sorted(judged.schedule.steps[side.steps.first - 1].retained);
  }

  const Problem& problem_;
  const JudgedSchedule& a_;
  const JudgedSchedule& b_;
  const Segment& segment_;
  std::set<std::string> found_;
};

}  // namespace

std::vector<std::string> differencesOf(const Problem& problem, const JudgedSchedule& a,
                                       const JudgedSchedule& b, const Segment& segment) {
  return SegmentComparison(problem, a, b, segment).differences();
}

}  // namespace tilebeam::cli
