#include "engine/candidate_pool.h"

#include <algorithm>

#include "engine/limits.h"
#include "engine/step_scorer.h"
#include "tilebeam/subgraph.h"

namespace tilebeam {

void CandidatePool::add(std::span<const OpId> ops, const ShapeDigest& shape, double latency) {
  const Graph& graph = problem_->graph();
  Candidate candidate;
  candidate.shape = shape;
  candidate.latency = latency;
  candidate.opBegin = static_cast<std::uint32_t>(positions_.size());
  candidate.externalBegin = static_cast<std::uint32_t>(externals_.size());
  candidate.outputBegin = static_cast<std::uint32_t>(outputs_.size());
  candidates_.push_back(candidate);

  for (const OpId o : ops) positions_.push_back(graph.position(o));
  for (const TensorId t : externalsByFirstUse(*problem_, ops)) {
    const OpId producer = graph.producer(t);
    externals_.push_back(
        {t, producer.valid() ? graph.position(producer) : CandidateExternal::kGraphInput});
  }
  const Subgraph subgraph(*problem_, {ops.begin(), ops.end()});
  for (std::uint32_t i = 0; i < ops.size(); ++i) {
    const TensorId t = problem_->op(ops[i]).output;
    if (subgraph.atTilePosition(t) && neededOutside(*problem_, t, ops)) outputs_.push_back({t, i});
  }
}

void CandidatePool::finish(const std::vector<double>& prices) {
  std::vector<std::uint32_t> count(problem_->opCount() + 1, 0);
  for (CandidateId c = 0; c < candidates_.size(); ++c) {
    double price = 0;
    for (const Position p : positions(c)) {
      price += prices[static_cast<std::size_t>(p)];
      ++count[static_cast<std::size_t>(p) + 1];
    }
    candidates_[c].excess = candidates_[c].latency - price;
  }
  for (std::size_t p = 1; p < count.size(); ++p) count[p] += count[p - 1];
  holdingBegin_ = count;
  holding_.resize(positions_.size());
  for (CandidateId c = 0; c < candidates_.size(); ++c) {
    for (const Position p : positions(c)) holding_[count[static_cast<std::size_t>(p)]++] = c;
  }
  for (std::size_t p = 0; p + 1 < holdingBegin_.size(); ++p) {
    std::sort(holding_.begin() + holdingBegin_[p], holding_.begin() + holdingBegin_[p + 1],
              [&](CandidateId a, CandidateId b) {
                return std::pair(candidates_[a].excess, a) < std::pair(candidates_[b].excess, b);
              });
  }
}

}  // namespace tilebeam
