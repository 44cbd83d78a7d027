#include "engine/candidate_pool.h"

#include <algorithm>

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
                        const Candidate& added) {
  const Graph& graph = problem_->graph();
  Candidate candidate = added;
  candidate.opBegin = static_cast<std::uint32_t>(positions_.size());
  candidate.externalBegin = static_cast<std::uint32_t>(externals_.size());
  candidate.outputBegin = static_cast<std::uint32_t>(outputs_.size());
  candidate.signature = 0;
  for (const OpId o : ops) {
    candidate.signature |= std::uint64_t{1} << (graph.position(o) & 63);
  }
  candidates_.push_back(candidate);

  std::uint64_t hash = 0;
  for (const OpId o : ops) {
    positions_.push_back(graph.position(o));
    hash += opSetHash(o);
  }
  sets_.insert(hash);
  externals_.insert(externals_.end(), tensors.externals.begin(), tensors.externals.end());
  outputs_.insert(outputs_.end(), tensors.outputs.begin(), tensors.outputs.end());
}

void CandidatePool::finish(const std::vector<double>& prices, bool recomputation,
                           TraceRecorder& recorder) {
  for (CandidateId c = 0; c < candidates_.size(); ++c) {
    Candidate& candidate = candidates_[c];
    candidate.excess = candidate.latency;
    OpBits bit = 1;
    for (const Position p : positions(c)) {
      if ((candidate.remade & bit) == 0) candidate.excess -= prices[static_cast<std::size_t>(p)];
      bit <<= 1;
    }
  }
  indexByOp(recorder);
  remakes_.clear();
  if (recomputation) {
    findRemakes();
    findDroppable();
  }
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

void CandidatePool::findRemakes() {
  const Graph& graph = problem_->graph();
  for (CandidateId c = 0; c < candidates_.size(); ++c) {
    for (const Position p : positions(c)) {
      for (const TensorId t :
           problem_->op(graph.topologicalOrder()[static_cast<std::size_t>(p)]).inputs) {
        const OpId producer = graph.producer(t);
        if (producer.valid() && holds(c, graph.position(producer))) remakes_.insert(useOf(t, p));
      }
    }
  }
}

void CandidatePool::findDroppable() {
  const Graph& graph = problem_->graph();
  for (CandidateOutput& output : outputs_) {
    if (!output.internal) continue;
    const auto takers = graph.consumers(output.tensor);
    output.droppable = std::all_of(takers.begin(), takers.end(), [&](OpId taker) {
      return canRemake(output.tensor, graph.position(taker));
    });
  }
}

}  // namespace tilebeam
