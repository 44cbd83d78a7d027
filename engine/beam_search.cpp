#include "engine/beam_search.h"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_pipeline.h>

#include <algorithm>
#include <utility>

namespace tilebeam {
namespace {

// A run of states of a beam, and the moves found for them.
struct Package {
  const SearchState* first = nullptr;
  const SearchState* last = nullptr;
  std::size_t number = 0;
  std::vector<std::vector<Move>> moves;
};

// Moves of one state; few enough that a task does not last long even if none is in the cache.
struct MoveBlock {
  const SearchState* parent = nullptr;
  std::span<const Move> moves;
};
constexpr std::size_t kMovesPerBlock = 4;

std::vector<MoveBlock> cutBlocks(const Package& package) {
  std::vector<MoveBlock> blocks;
  for (const SearchState* s = package.first; s != package.last; ++s) {
    std::span<const Move> rest = package.moves[static_cast<std::size_t>(s - package.first)];
    while (!rest.empty()) {
      const std::size_t count = std::min(rest.size(), kMovesPerBlock);
      blocks.push_back({s, rest.first(count)});
      rest = rest.subspan(count);
    }
  }
  return blocks;
}

// The trace of a package's blocks: they begin once its moves have been found.
TaskTrace* traceOfBlocks(TracePhase* phase, std::size_t package) {
  if (phase == nullptr) return nullptr;
  TaskTrace& trace = phase->chains[package];
  trace.phases.push_back({TraceKind::kExpansion, std::exchange(phase->tasks[package], 0), {}, {}});
  return &trace;
}

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
    if (options_.position != nullptr) options_.position->reach(covered);
    std::vector<SearchState> beam = table(covered).takeBest(options_.width, recorder);
    table(covered) = StateTable();
    for (SearchState& state : beam) {
      if (covered > root.covered) {
        state.id = static_cast<NodeId>(nodes_.size());
        nodes_.push_back(state.node);
      }
    }
    recorder.serial(TraceKind::kReduction);
    expand(beam, recorder);
    pruneTables(recorder);
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
  const std::size_t packages = (beam.size() - 1) / grain + 1;
  TracePhase* const phase = recorder.beginTasks(TraceKind::kExpansion, packages, packages);
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
    const std::vector<MoveBlock> blocks = cutBlocks(package);
    TraceRecorder blockRecorder(traceOfBlocks(phase, package.number));
    TracePhase* const blockPhase = blockRecorder.beginTasks(TraceKind::kExpansion, blocks.size());
    tbb::parallel_for(std::size_t{0}, blocks.size(), [&](std::size_t i) {
      const TaskTimer timer(blockPhase, i);
      offer(*blocks[i].parent, blocks[i].moves);
    });
    blockRecorder.endTasks();
    scorer_.counters().local().statesExpanded += package.last - package.first;
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

// Tables have nothing to do with each other.
void BeamSearch::pruneTables(TraceRecorder& recorder) {
  std::vector<StateTable*> full;
  for (StateTable& t : tables_) {
    if (t.size() > kTableSlack * options_.width) full.push_back(&t);
  }
  TracePhase* const phase = recorder.beginTasks(TraceKind::kReduction, full.size());
  oneapi::tbb::parallel_for(std::size_t{0}, full.size(), [&](std::size_t i) {
    const TaskTimer timer(phase, i);
    full[i]->prune(options_.width);
  });
  recorder.endTasks();
}

void BeamSearch::offer(const SearchState& parent, std::span<const Move> moves) {
  WorkerCounts& counters = scorer_.counters().local();
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
