#include "engine/candidate_pool.h"

#include <algorithm>
#include <unordered_map>

#include "engine/limits.h"
#include "engine/recorded_tasks.h"
#include "engine/step_scorer.h"
#include "tilebeam/subgraph.h"

namespace tilebeam {

CandidateTensors tensorsOf(const Problem& problem, std::span<const OpId> ops) {
  const Graph& graph = problem.graph();
  CandidateTensors tensors;
  for (const TensorId t : externalsByFirstUse(problem, ops)) {
    const OpId producer = graph.producer(t);
    tensors.externals.push_back(
        {t, producer.valid() ? graph.position(producer) : CandidateExternal::kGraphInput});
  }
  const Subgraph subgraph(problem, {ops.begin(), ops.end()});
  for (std::uint32_t i = 0; i < ops.size(); ++i) {
    const TensorId t = problem.op(ops[i]).output;
    if (!neededOutside(problem, t, ops)) continue;
    tensors.outputs.push_back({t, i, subgraph.atTilePosition(t), !subgraph.isSinkOutput(t), false});
  }
  return tensors;
}

void CandidatePool::add(std::span<const OpId> ops, const CandidateTensors& tensors,
                        const ShapeDigest& shape, std::uint32_t dropped, double latency) {
  Candidate candidate;
  candidate.dropped = dropped;
  candidate.shape = shape;
  candidate.latency = latency;
  candidate.opBegin = static_cast<std::uint32_t>(positions_.size());
  candidate.externalBegin = static_cast<std::uint32_t>(externals_.size());
  candidate.outputBegin = static_cast<std::uint32_t>(outputs_.size());
  candidates_.push_back(candidate);

  std::uint64_t hash = 0;
  for (const OpId o : ops) {
    positions_.push_back(problem_->graph().position(o));
    hash += opSetHash(o);
  }
  sets_.insert(hash);
  externals_.insert(externals_.end(), tensors.externals.begin(), tensors.externals.end());
  outputs_.insert(outputs_.end(), tensors.outputs.begin(), tensors.outputs.end());
}

bool CandidatePool::holds(CandidateId c, Position p) const {
  const auto all = positions(c);
  return std::find(all.begin(), all.end(), p) != all.end();
}

void CandidatePool::finish(const std::vector<double>& prices, TraceRecorder& recorder) {
  for (CandidateId c = 0; c < candidates_.size(); ++c) {
    candidates_[c].excess = candidates_[c].latency;
    for (const Position p : positions(c)) {
      candidates_[c].excess -= prices[static_cast<std::size_t>(p)];
    }
  }
  indexByOp(recorder);
  findDroppable();
  recorder.serial(TraceKind::kCandidates);
}

void CandidatePool::indexByOp(TraceRecorder& recorder) {
  const auto slot = [this](Position p) { return static_cast<std::size_t>(p - begin_); };
  std::vector<std::uint32_t> fill(slot(end_) + 1, 0);
  for (const Position p : positions_) ++fill[slot(p) + 1];
  for (std::size_t p = 1; p < fill.size(); ++p) fill[p] += fill[p - 1];
  holdingBegin_ = fill;
  holding_.resize(positions_.size());
  for (CandidateId c = 0; c < candidates_.size(); ++c) {
    for (const Position p : positions(c)) holding_[fill[slot(p)]++] = c;
  }
  const auto better = [this](CandidateId a, CandidateId b) {
    return std::pair(candidates_[a].excess, a) < std::pair(candidates_[b].excess, b);
  };
  sharedOut(recorder, TraceKind::kCandidates, slot(end_), [&](std::size_t p) {
    std::sort(holding_.begin() + holdingBegin_[p], holding_.begin() + holdingBegin_[p + 1], better);
  });
}

void CandidatePool::findDroppable() {
  std::unordered_map<TensorId, bool> known;
  for (CandidateOutput& output : outputs_) {
    if (!output.internal) continue;
    const auto [place, fresh] = known.emplace(output.tensor, false);
    if (fresh) place->second = everyTakerCanRemake(output.tensor);
    output.droppable = place->second;
  }
}

bool CandidatePool::everyTakerCanRemake(TensorId t) const {
  const Graph& graph = problem_->graph();
  const Position producer = graph.position(graph.producer(t));
  const auto takers = graph.consumers(t);
  return std::all_of(takers.begin(), takers.end(), [&](OpId taker) {
    const auto candidates = holding(graph.position(taker));
    return std::any_of(candidates.begin(), candidates.end(),
                       [&](CandidateId c) { return holds(c, producer); });
  });
}

}  // namespace tilebeam
