#include "engine/beam_search.h"

#include <oneapi/tbb/parallel_pipeline.h>

#include <algorithm>

#include "engine/recorded_tasks.h"

namespace tilebeam {
namespace {

// A run of states of a beam, and the moves found for each.
struct Package {
  SearchState* first = nullptr;
  std::size_t size = 0;
  std::size_t number = 0;
  std::vector<std::vector<Move>> moves;
};

// One a task, for a step that is not in the cache takes as long as a thousand that are.
struct OpenMove {
  const SearchState* parent = nullptr;
  const Move* move = nullptr;
};

// Packages are cut by one worker at a time, so they are few; what they hold is shared out again.
constexpr std::size_t kMostPackages = 64;

std::vector<OpenMove> openMoves(const Package& package) {
  std::vector<OpenMove> open;
  for (std::size_t i = 0; i < package.size; ++i) {
    for (const Move& move : package.moves[i]) open.push_back({package.first + i, &move});
  }
  return open;
}

// One phase of a package.
template <class Visit>
void packageTasks(TaskTrace* trace, std::size_t count, const Visit& visit) {
  TraceRecorder recorder(trace);
  recordedTasks(recorder, TraceKind::kExpansion, count, visit);
}

}  // namespace

BeamSearch::BeamSearch(StepScorer& scorer, const CandidatePool& pool, const Expander& expander,
                       const BeamOptions& options)
    : scorer_(scorer),
      problem_(scorer.problem()),
      pool_(pool),
      expander_(expander),
      options_(options) {
  tables_.reserve(kMaxCandidateOps + 1);
  for (std::size_t i = 0; i <= kMaxCandidateOps; ++i) tables_.emplace_back(options.width);
}

std::optional<Plan> BeamSearch::run(const std::function<bool()>& stop, TraceRecorder& recorder) {
  nodes_.clear();
  const auto total = static_cast<std::int32_t>(problem_.opCount());
  const SearchState root = expander_.root();
  table(root.covered).offer(root);
  std::vector<SearchState> beam;
  for (std::int32_t covered = root.covered; covered < total; ++covered) {
    if (stop()) return std::nullopt;
    if (options_.position != nullptr) options_.position->reach(covered);
    table(covered).takeBest(beam, recorder);
    recorder.serial(TraceKind::kReduction);
    widenTables(beam.size(), recorder);
    expand(beam, recorder);
    pruneTables(recorder);
  }
  table(total).takeBest(beam, recorder);
  if (beam.empty()) return std::nullopt;
  return trace(beam.front());
}

void BeamSearch::expand(std::vector<SearchState>& beam, TraceRecorder& recorder) {
  if (beam.empty()) return;
  namespace tbb = oneapi::tbb;
  const std::size_t grain = options_.grainSize > 0
                                ? options_.grainSize
                                : std::max<std::size_t>(1, beam.size() / kMostPackages);
  const std::size_t packages = (beam.size() - 1) / grain + 1;
  const std::size_t firstNode = nodes_.size();
  nodes_.grow_by(beam.size());
  TracePhase* const phase = recorder.beginTasks(TraceKind::kExpansion, 0, packages);
  std::size_t next = 0;
  const auto cut = [&](tbb::flow_control& control) {
    Package package;
    if (next == beam.size()) {
      control.stop();
      return package;
    }
    package.number = next / grain;
    package.first = &beam[next];
    package.size = std::min(beam.size() - next, grain);
    next += package.size;
    return package;
  };
  const auto findMoves = [&](Package package) {
    package.moves.resize(package.size);
    packageTasks(traceOf(phase, package.number), package.size, [&](std::size_t i) {
      SearchState& state = package.first[i];
      const std::size_t id = firstNode + package.number * grain + i;
      nodes_[id] = state.node;
      state.id = static_cast<NodeId>(id);
      expander_.findMoves(state, nodes_, package.moves[i]);
    });
    return package;
  };
  const auto scoreAndOffer = [&](const Package& package) {
    const std::vector<OpenMove> open = openMoves(package);
    packageTasks(traceOf(phase, package.number), open.size(),
                 [&](std::size_t i) { offer(*open[i].parent, *open[i].move); });
    scorer_.counters().local().statesExpanded += static_cast<std::int64_t>(package.size);
  };
  if (packages == 1) {
    scoreAndOffer(findMoves(Package{beam.data(), beam.size(), 0, {}}));
  } else {
    tbb::parallel_pipeline(
        options_.tokens,
        tbb::make_filter<void, Package>(tbb::filter_mode::serial_in_order, cut) &
            tbb::make_filter<Package, Package>(tbb::filter_mode::parallel, findMoves) &
            tbb::make_filter<Package, void>(tbb::filter_mode::parallel, scoreAndOffer));
  }
  recorder.endTasks();
}

// Makes room for what a beam of so many states brings forth.
void BeamSearch::widenTables(std::size_t states, TraceRecorder& recorder) {
  std::vector<StateTable*> narrow;
  for (StateTable& t : tables_) {
    if (t.isNarrowFor(states)) narrow.push_back(&t);
  }
  if (narrow.empty()) return;
  recordedTasks(recorder, TraceKind::kReduction, narrow.size(),
                [&](std::size_t i) { narrow[i]->widenFor(states); });
}

// Tables have nothing to do with each other.
void BeamSearch::pruneTables(TraceRecorder& recorder) {
  std::vector<StateTable*> full;
  for (StateTable& t : tables_) {
    if (t.crowded()) full.push_back(&t);
  }
  if (full.empty()) return;
  recordedChains(recorder, TraceKind::kReduction, full.size(),
                 [&](std::size_t i, TraceRecorder& chain) { full[i]->prune(chain); });
}

void BeamSearch::offer(const SearchState& parent, const Move& move) {
  WorkerCounts& counters = scorer_.counters().local();
  ++counters.statesGenerated;
  const SearchState child = expander_.apply(parent, move);
  if (!(child.cost + child.floor < options_.cutoff)) return;
  StateTable& t = table(child.covered);
  if (child.score > t.threshold()) return;
  if (t.offer(child)) ++counters.duplicateStates;
}

Plan BeamSearch::trace(const SearchState& last) const {
  std::vector<SearchNode> path{last.node};
  while (path.back().parent != kRootNode) path.push_back(nodes_[path.back().parent]);
  std::reverse(path.begin(), path.end());

  Plan plan;
  SearchState state = expander_.root();
  for (const SearchNode& node : path) {
    const Move move{node.candidate, node.retained, node.dropped, node.restored};
    const BestStep best = expander_.score(state, move);
    std::vector<OpId> ops;
    for (const Position p : pool_.positions(node.candidate)) {
      ops.push_back(problem_.graph().topologicalOrder()[static_cast<std::size_t>(p)]);
    }
    state = expander_.apply(state, move);
    plan.latency += best.latency;
    plan.steps.push_back(plannedStep(problem_, std::move(ops),
                                     {state.residents.begin(), state.residents.end()}, best));
  }
  return plan;
}

}  // namespace tilebeam
