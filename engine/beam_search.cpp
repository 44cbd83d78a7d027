#include "engine/beam_search.h"

#include <oneapi/tbb/parallel_pipeline.h>

#include <algorithm>

namespace tilebeam {
namespace {

// A run of states of a beam, and the moves found for them.
struct Package {
  const SearchState* first = nullptr;
  const SearchState* last = nullptr;
  std::size_t number = 0;
  std::vector<std::vector<Move>> moves;
};

// Beyond this multiple of the beam's width a table is cut back to it.
constexpr std::size_t kTableSlack = 4;

}  // namespace

BeamSearch::BeamSearch(StepScorer& scorer, const CandidatePool& pool, const Expander& expander,
                       const BeamOptions& options)
    : scorer_(scorer),
      problem_(scorer.problem()),
      pool_(pool),
      expander_(expander),
      options_(options),
      tables_(kMaxCandidateOps + 1) {}

std::optional<Plan> BeamSearch::run(const std::function<bool()>& stop, TraceRecorder& recorder) {
  nodes_.clear();
  const auto total = static_cast<std::int32_t>(problem_.opCount());
  const SearchState root = expander_.root();
  table(root.covered).offer(root);
  for (std::int32_t covered = root.covered; covered < total; ++covered) {
    if (stop()) return std::nullopt;
    std::vector<SearchState> beam = table(covered).takeBest(options_.width);
    table(covered) = StateTable();
    for (SearchState& state : beam) {
      if (covered > root.covered) {
        state.id = static_cast<NodeId>(nodes_.size());
        nodes_.push_back(state.node);
      }
    }
    recorder.serial(TraceKind::kReduction);
    expand(beam, recorder);
    for (StateTable& t : tables_) {
      if (t.size() > kTableSlack * options_.width) t.prune(options_.width);
    }
    recorder.serial(TraceKind::kReduction);
  }
  const std::vector<SearchState> done = table(total).takeBest(1);
  if (done.empty()) return std::nullopt;
  return trace(done.front());
}

void BeamSearch::expand(std::vector<SearchState>& beam, TraceRecorder& recorder) {
  if (beam.empty()) return;
  namespace tbb = oneapi::tbb;
  const std::size_t grain =
      options_.grainSize > 0 ? options_.grainSize
                             : std::clamp<std::size_t>(beam.size() / (4 * options_.tokens), 1, 16);
  TracePhase* const phase =
      recorder.beginTasks(TraceKind::kExpansion, (beam.size() - 1) / grain + 1);
  std::size_t next = 0;
  const auto cut = [&](tbb::flow_control& control) {
    Package package;
    if (next >= beam.size()) {
      control.stop();
      return package;
    }
    package.number = next / grain;
    package.first = beam.data() + next;
    next = std::min(beam.size(), next + grain);
    package.last = beam.data() + next;
    return package;
  };
  const auto findMoves = [&](Package package) {
    const TaskTimer timer(phase, package.number);
    for (const SearchState* s = package.first; s != package.last; ++s) {
      expander_.findMoves(*s, package.moves.emplace_back());
    }
    return package;
  };
  const auto scoreAndOffer = [&](const Package& package) {
    const TaskTimer timer(phase, package.number);
    for (const SearchState* s = package.first; s != package.last; ++s) {
      offer(*s, package.moves[static_cast<std::size_t>(s - package.first)]);
    }
  };
  if (beam.size() <= grain) {
    scoreAndOffer(findMoves(Package{beam.data(), beam.data() + beam.size(), 0, {}}));
  } else {
    tbb::parallel_pipeline(
        options_.tokens,
        tbb::make_filter<void, Package>(tbb::filter_mode::serial_in_order, cut) &
            tbb::make_filter<Package, Package>(tbb::filter_mode::parallel, findMoves) &
            tbb::make_filter<Package, void>(tbb::filter_mode::parallel, scoreAndOffer));
  }
  recorder.endTasks();
}

void BeamSearch::offer(const SearchState& parent, const std::vector<Move>& moves) {
  SearchCounters& counters = scorer_.counters().local();
  ++counters.statesExpanded;
  counters.statesGenerated += static_cast<std::int64_t>(moves.size());
  for (const Move& move : moves) {
    const SearchState child = expander_.apply(parent, move);
    if (!(child.cost + child.floor < options_.cutoff)) continue;
    StateTable& t = table(child.covered);
    if (child.score > t.threshold()) continue;
    if (t.offer(child)) ++counters.duplicateStates;
  }
}

Plan BeamSearch::trace(const SearchState& last) const {
  std::vector<SearchNode> path{last.node};
  while (path.back().parent != kNoNode) path.push_back(nodes_[path.back().parent]);
  std::reverse(path.begin(), path.end());

  Plan plan;
  SearchState state = expander_.root();
  for (const SearchNode& node : path) {
    const Move move{node.candidate, node.retained, node.dropped, node.restored};
    PlannedStep step;
    step.best = expander_.score(state, move);
    for (const Position p : pool_.positions(node.candidate)) {
      step.ops.push_back(problem_.graph().topologicalOrder()[static_cast<std::size_t>(p)]);
    }
    state = expander_.apply(state, move);
    step.retained.assign(state.residents.begin(), state.residents.end());
    plan.latency += step.best.latency;
    plan.steps.push_back(std::move(step));
  }
  return plan;
}

}  // namespace tilebeam
