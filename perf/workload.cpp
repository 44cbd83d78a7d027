#include "perf/workload.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "tilebeam/json_io.h"
#include "tilebeam/schedule_evaluator.h"

namespace tilebeam::bench {
namespace {

constexpr std::size_t kMostPerProblem = 400;

const std::string kProblems = std::string(TILEBEAM_SOURCE_DIR) + "/benchmarks/problems/";

std::vector<std::int64_t> halvings(std::int64_t from) {
  std::vector<std::int64_t> values;
  for (std::int64_t value = from; value >= 1 && values.size() < 4; value /= 2) {
    values.push_back(value);
  }
  return values;
}

// Native tiles and k-steps, and both halved a few times; what is legal of that.
std::vector<Granularity> granularitiesOf(const Subgraph& subgraph) {
  const Hardware& hardware = subgraph.problem().hardware();
  const std::int64_t deepest =
      subgraph.hasMatMul() ? std::min(hardware.nativeDepth(), subgraph.minReduction()) : 1;
  std::vector<Granularity> all;
  for (const std::int64_t w : halvings(std::min(hardware.nativeWidth, subgraph.gridWidth()))) {
    for (const std::int64_t h : halvings(std::min(hardware.nativeHeight, subgraph.gridHeight()))) {
      for (const std::int64_t k : halvings(deepest)) {
        if (!checkGranularity(subgraph, {w, h, k})) all.push_back({w, h, k});
      }
    }
  }
  return all;
}

StepContext contextOf(const Subgraph& subgraph, std::span<const OpId> ops, OpBits dropped) {
  const Problem& problem = subgraph.problem();
  StepContext context;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const TensorId t = problem.op(ops[i]).output;
    const bool needed = subgraph.isSinkOutput(t) || neededOutside(problem, t, ops);
    if (needed && (dropped >> i & 1U) == 0) context.stored.push_back(t);
  }
  return context;
}

void addCandidates(const Problem& problem, std::vector<Candidate>& candidates) {
  StepScorer scorer(problem, DepthReading::kNative);
  const CandidatePool pool = poolOf(scorer, singlePrices(scorer));
  std::set<std::pair<std::uint64_t, std::uint64_t>> shapes;
  std::vector<CandidateId> distinct;
  for (CandidateId c = 0; c < pool.size(); ++c) {
    if (shapes.insert({pool[c].shape.low, pool[c].shape.high}).second) distinct.push_back(c);
  }
  const std::size_t stride = distinct.size() / kMostPerProblem + 1;
  for (std::size_t i = 0; i < distinct.size(); i += stride) {
    std::vector<OpId> ops;
    for (const Position p : pool.positions(distinct[i])) {
      ops.push_back(problem.graph().topologicalOrder()[static_cast<std::size_t>(p)]);
    }
    Subgraph subgraph(problem, ops);
    StepContext context = contextOf(subgraph, ops, pool[distinct[i]].dropped);
    CollapsedSimulator simulator(subgraph, context, DepthReading::kNative);
    std::vector<Granularity> granularities = granularitiesOf(subgraph);
    candidates.push_back(
        {std::move(subgraph), std::move(context), std::move(simulator), std::move(granularities)});
  }
}

Workload makeWorkload() {
  Workload workload;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(kProblems)) {
    if (entry.path().extension() == ".json") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  for (const auto& path : paths) {
    workload.problems.push_back(std::make_unique<Problem>(parseProblem(readFile(path))));
    addCandidates(*workload.problems.back(), workload.candidates);
  }
  return workload;
}

bool agree(const Candidate& candidate, const Granularity& g, TraversalKind kind) {
  const StepCost collapsed = candidate.simulator.cost(g, kind);
  const StepCost literal =
      simulateLiteral(candidate.subgraph, g, {kind, {}}, candidate.context, DepthReading::kNative)
          .cost;
  return collapsed.peakFastMemory == literal.peakFastMemory &&
         std::abs(collapsed.latency - literal.latency) <= 1e-9 * literal.latency;
}

}  // namespace

Problem bundled(const std::string& name) {
  return parseProblem(readFile(kProblems + name + ".json"));
}

CandidatePool poolOf(StepScorer& scorer, const OpPrices& prices) {
  const GeneratorLimits limits;
  CandidatePool pool = generateCandidates(scorer, SearchScope(prices.size()), limits, prices);
  pool.finish(prices, limits.recomputation);
  return pool;
}

const Workload& workload() {
  static const Workload made = makeWorkload();
  return made;
}

// The coarsest granularities alone: the literal simulator takes its time over fine ones.
std::string Workload::disagreement() const {
  for (std::size_t i = 0; i < candidates.size(); i += 7) {
    const Candidate& candidate = candidates[i];
    for (std::size_t j = 0; j < std::min<std::size_t>(2, candidate.granularities.size()); ++j) {
      for (const TraversalKind kind : {TraversalKind::kRowSnake, TraversalKind::kColumnSnake}) {
        if (!agree(candidate, candidate.granularities[j], kind)) {
          return "the simulators disagree on candidate " + std::to_string(i);
        }
      }
    }
  }
  return {};
}

}  // namespace tilebeam::bench
