#include "engine/segment_search.h"

#include <algorithm>
#include <numeric>

#include "engine/recorded_tasks.h"
#include "engine/scope_search.h"

namespace tilebeam {
namespace {

// By position p: the tensors made before p that an op at p or beyond takes.
std::vector<std::int32_t> crossings(const Problem& problem) {
  const Graph& graph = problem.graph();
  const auto order = graph.topologicalOrder();
  std::vector<std::int32_t> change(order.size() + 1, 0);
  for (std::size_t p = 0; p < order.size(); ++p) {
    Position last = static_cast<Position>(p);
    for (const OpId o : graph.consumers(problem.op(order[p]).output)) {
      last = std::max(last, graph.position(o));
    }
    ++change[p + 1];
    --change[static_cast<std::size_t>(last) + 1];
  }
  std::partial_sum(change.begin(), change.end(), change.begin());
  return change;
}

}  // namespace

std::vector<Segment> cutSegments(const Problem& problem, std::size_t ops, double shift) {
  const auto end = static_cast<Position>(problem.opCount());
  const std::vector<std::int32_t> crossing = crossings(problem);
  std::vector<Segment> segments;
  auto length = std::max<Position>(2, static_cast<Position>(shift * static_cast<double>(ops)));
  for (Position first = 0; first < end;) {
    const Position slack = length / 4;
    Position cut = end;
    if (end - first > length + slack) {
      const auto begin = crossing.begin() + first + length - slack;
      cut =
          static_cast<Position>(std::min_element(begin, begin + 2 * slack + 1) - crossing.begin());
    }
    segments.push_back({first, cut});
    first = cut;
    length = static_cast<Position>(ops);
  }
  return segments;
}

std::optional<Plan> SegmentSearch::run(const std::vector<Segment>& segments, OpPrices& prices,
                                       const OpPrices* singles, const std::function<bool()>& stop,
                                       TraceRecorder& recorder) const {
  std::vector<std::optional<Plan>> plans(segments.size());
  if (beam_.position != nullptr) beam_.position->enter(SearchPhase::kSegments, segments.size());
  BeamOptions beam = beam_;
  beam.position = nullptr;  // segments are counted as wholes
  const auto searchOne = [&](std::size_t i, TraceRecorder& chain) {
    if (stop()) return;
    std::vector<Position> positions(static_cast<std::size_t>(segments[i].last - segments[i].first));
    std::iota(positions.begin(), positions.end(), segments[i].first);
    const SearchScope scope(positions);
    const ScopeSearch search(scorer_, scope, effort_, opFloors_, effort_.generator.window, beam);
    plans[i] = singles != nullptr ? search.run(prices, *singles, stop, chain)
                                  : search.run(prices, stop, chain);
    if (beam_.position != nullptr) beam_.position->advance();
  };
  recordedChains(recorder, TraceKind::kWindows, segments.size(), searchOne);
  Plan whole;
  for (std::optional<Plan>& plan : plans) {
    if (!plan) return std::nullopt;
    whole.latency += plan->latency;
    std::move(plan->steps.begin(), plan->steps.end(), std::back_inserter(whole.steps));
  }
  return whole;
}

}  // namespace tilebeam
