#include "engine/beam_search.h"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <atomic>

#include "engine/recorded_tasks.h"

namespace tilebeam {
namespace {

// Packages are few enough to be counted out one by one, and not so small that this shows. Beams of
// fewer moves cost less to expand than it takes to wake a worker.
constexpr std::size_t kMostPackages = 2048;
constexpr std::size_t kMovesPerPackage = 8;
constexpr std::size_t kMovesWorthSharing = 48;

// After so many states the tables are so large that it takes a while to give back their memory.
constexpr std::size_t kNodesWorthSharing = 1 << 14;

}  // namespace

BeamSearch::BeamSearch(StepScorer& scorer, const CandidatePool& pool, const Expander& expander,
                       const BeamOptions& options)
    : scorer_(scorer), problem_(scorer.problem()), expander_(expander), options_(options) {
  std::size_t most = 0;  // ops that a step can cover
  for (CandidateId c = 0; c < pool.size(); ++c) most = std::max(most, pool.positions(c).size());
  tables_.reserve(most + 1);
  for (std::size_t i = 0; i <= most; ++i) tables_.emplace_back(options.width);
}

std::optional<Plan> BeamSearch::run(const std::function<bool()>& stop, TraceRecorder& recorder) {
  nodes_.clear();
  nodesUsed_ = 0;
  const auto total = static_cast<std::int32_t>(problem_.opCount());
  const SearchState root = expander_.root();
  table(root.covered).offer(root);
  std::vector<SearchState> beam;
  for (std::int32_t covered = root.covered; covered < total; ++covered) {
    if (stop()) return std::nullopt;
    if (options_.position != nullptr) options_.position->reach(covered);
    table(covered).chooseBest(beam, recorder);
    recorder.serial(TraceKind::kReduction);
    widenTables(beam.size(), recorder);
    expand(beam, table(covered), stop, recorder);
    pruneTables(recorder);
  }
  table(total).takeBest(beam, recorder);
  if (nodesUsed_ > kNodesWorthSharing) discardTables(recorder);
  if (beam.empty()) return std::nullopt;
  return trace(beam.front());
}

// Beside the last packages what is left of the table they come from is cleared away.
void BeamSearch::expand(std::vector<SearchState>& beam, StateTable& from, const Stop& stop,
                        TraceRecorder& recorder) {
  if (beam.empty()) return;
  namespace tbb = oneapi::tbb;
  const std::size_t firstNode = nodesUsed_;
  nodesUsed_ += beam.size();
  nodes_.grow_to_at_least(nodesUsed_);
  const std::span<SearchState> all = beam;
  const Packages packages = cut(beam.size());
  const std::size_t count = packages.count();
  const std::size_t chores = from.clearings() + 1;
  std::atomic<std::size_t> moves = 0;
  if (count == 1) {
    moves = expandPackage(all, firstNode, stop, recorder);
    for (std::size_t chore = 1; chore < chores; ++chore) clearOrGrow(from, chore, beam.size());
  } else {
    TracePhase* const phase = recorder.beginTasks(TraceKind::kExpansion, 0, count + chores);
    std::atomic<std::size_t> next = 0;
    const auto expandSome = [&](std::size_t) {
      for (std::size_t task = next++; task < count + chores; task = next++) {
        TraceRecorder chain(traceOf(phase, task));
        if (task >= count) {
          clearOrGrow(from, task - count, beam.size());
          chain.serial(TraceKind::kReduction);
          continue;
        }
        const std::size_t first = packages.begin(task);
        const auto some = all.subspan(first, packages.begin(task + 1) - first);
        moves += expandPackage(some, firstNode + first, stop, chain);
      }
    };
    tbb::parallel_for(std::size_t{0}, std::min(options_.tokens, count), expandSome,
                      tbb::simple_partitioner());
    recorder.endTasks();
  }
  from.cleared();
  movesPerState_ = std::max<std::size_t>(1, moves / beam.size());
}

// Of the chores beside an expansion the first makes room for the nodes of the next beam, which may
// be as large again as this one of so many states. The others clear `from`.
void BeamSearch::clearOrGrow(StateTable& from, std::size_t chore, std::size_t states) {
  if (chore > 0) return from.clear(chore - 1);
  nodes_.grow_to_at_least(nodesUsed_ + std::min(options_.width, 2 * states));
}

BeamSearch::Packages BeamSearch::cut(std::size_t states) const {
  if (options_.grainSize > 0) return {states, 0, options_.grainSize, options_.grainSize};
  if (states * movesPerState_ < kMovesWorthSharing) return {states, 0, states, states};
  const std::size_t least = (kMovesPerPackage - 1) / movesPerState_ + 1;
  const std::size_t grain = std::max((states - 1) / kMostPackages + 1, least);
  const std::size_t lastGrain = std::max((grain + 1) / 2, least);
  return {states, states / 4 * 3 / grain, grain, lastGrain};
}

// The states' nodes stand from `firstNode` on. Returns how many moves there were. Those whose steps
// are known take less time than it takes to hand them to another worker. One that has to be scored
// may take as long as a thousand of them.
std::size_t BeamSearch::expandPackage(std::span<SearchState> states, std::size_t firstNode,
                                      const Stop& stop, TraceRecorder& recorder) {
  std::vector<OpenMove> open;
  std::vector<Move> moves;
  std::size_t count = 0;
  for (std::size_t i = 0; i < states.size(); ++i) {
    SearchState& state = states[i];
    nodes_[firstNode + i] = state.node;
    state.id = static_cast<NodeId>(firstNode + i);
    if (stop()) continue;
    moves.clear();
    expander_.findMoves(state, nodes_, stop, moves);
    count += moves.size();
    for (const Move& move : moves) {
      if (!offerIfKnown(state, move)) open.push_back({&state, move});
    }
  }
  if (!open.empty()) scoreAndOffer(open, stop, recorder);
  recorder.serial(TraceKind::kExpansion);
  WorkerCounts& counters = scorer_.counters().local();
  counters.statesExpanded += static_cast<std::int64_t>(states.size());
  counters.statesGenerated += static_cast<std::int64_t>(count);
  return count;
}

void BeamSearch::scoreAndOffer(std::vector<OpenMove>& open, const Stop& stop,
                               TraceRecorder& recorder) {
  recorder.serial(TraceKind::kExpansion);
  sharedOut(recorder, TraceKind::kExpansion, open.size(), [&](std::size_t i) {
    if (!stop()) expander_.scoreIfFirst(*open[i].parent, open[i].move);
  });
  // What is left is what others are at.
  std::erase_if(open, [&](const OpenMove& o) { return offerIfKnown(*o.parent, o.move); });
  recorder.serial(TraceKind::kExpansion);
  sharedOut(recorder, TraceKind::kExpansion, open.size(), [&](std::size_t i) {
    const auto& [parent, move] = open[i];
    if (!stop()) offer(*parent, move, expander_.score(*parent, move).latency);
  });
}

bool BeamSearch::offerIfKnown(const SearchState& parent, const Move& move) {
  const auto latency = expander_.knownLatency(parent, move);
  if (latency) offer(parent, move, *latency);
  return latency.has_value();
}

// Makes room for what a beam of so many states brings forth. The table that it comes from is not
// cleared yet.
void BeamSearch::widenTables(std::size_t states, TraceRecorder& recorder) {
  std::vector<StateTable*> narrow;
  for (StateTable& t : tables_) {
    if (t.clearings() == 0 && t.isNarrowFor(states)) narrow.push_back(&t);
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

void BeamSearch::discardTables(TraceRecorder& recorder) {
  recordedTasks(recorder, TraceKind::kReduction, tables_.size(),
                [&](std::size_t i) { tables_[i] = StateTable(options_.width); });
}

void BeamSearch::offer(const SearchState& parent, const Move& move, double latency) {
  const SearchState child = expander_.apply(parent, move, latency);
  if (!(child.cost + child.floor < options_.cutoff)) return;
  StateTable& t = table(child.covered);
  if (child.score > t.threshold()) return;
  if (t.offer(child)) ++scorer_.counters().local().duplicateStates;
}

Plan BeamSearch::trace(const SearchState& last) const {
  std::vector<SearchNode> path{last.node};
  while (path.back().parent != kRootNode) path.push_back(nodes_[path.back().parent]);
  std::reverse(path.begin(), path.end());

  Plan plan;
  SearchState state = expander_.root();
  for (const SearchNode& node : path) {
    const Move move{node.candidate, node.retained, node.dropped, node.restored,
                    expander_.remadeOps(state, node.candidate)};
    const BestStep best = expander_.score(state, move);
    state = expander_.apply(state, move, best.latency);
    plan.latency += best.latency;
    plan.steps.push_back(plannedStep(problem_, expander_.opsOf(node.candidate),
                                     {state.residents.begin(), state.residents.end()}, best));
  }
  return plan;
}

}  // namespace tilebeam
