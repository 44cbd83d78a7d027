#include "tilebeam/subgraph.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tilebeam {
namespace {

std::string opName(OpId o) { return "op " + std::to_string(o.value()); }
std::string tensorName(TensorId t) { return "tensor " + std::to_string(t.value()); }

// The least edge that satisfies rule 3.5 for every prologue: K where the reduction is split.
std::int64_t leastEdge(const std::vector<std::int64_t>& reductions, std::int64_t k) {
  std::int64_t least = 1;
  for (const std::int64_t reduction : reductions) {
    if (k < reduction) least = std::max(least, reduction);
  }
  return least;
}

}  // namespace

Subgraph::Subgraph(const Problem& problem, std::vector<OpId> ops)
    : problem_(&problem), ops_(std::move(ops)) {
  checkOrder();
  if (violation_) return;
  classifyTensors();
  checkConnected();
  if (violation_) return;
  findTilePositions();
  if (violation_) return;
  findPrologues();
}

void Subgraph::checkOrder() {
  if (ops_.empty()) {
    violation_ = Violation{1, "the step has no op"};
    return;
  }
  sortedOps_ = ops_;
  std::sort(sortedOps_.begin(), sortedOps_.end());
  const auto twice = std::adjacent_find(sortedOps_.begin(), sortedOps_.end());
  if (twice != sortedOps_.end()) {
    violation_ = Violation{1, opName(*twice) + " is listed twice"};
    return;
  }
  produced_.reserve(ops_.size());
  sortedProduced_.reserve(ops_.size());
  for (const OpId o : ops_) {
    const TensorId output = problem_->op(o).output;
    produced_.push_back(output);
    sortedProduced_.push_back({output, true, false});
  }
  if (ops_.size() == 1) return;
  std::sort(sortedProduced_.begin(), sortedProduced_.end(),
            [](const auto& a, const auto& b) { return a.tensor < b.tensor; });

  // A consumer may only stand behind the producer of what it takes.
  std::vector<std::pair<OpId, std::size_t>> places;
  places.reserve(ops_.size());
  for (std::size_t i = 0; i < ops_.size(); ++i) places.emplace_back(ops_[i], i);
  std::sort(places.begin(), places.end());
  const auto place = [&](OpId o) {
    return std::lower_bound(places.begin(), places.end(), std::pair<OpId, std::size_t>{o, 0})
        ->second;
  };
  for (std::size_t i = 0; i < ops_.size(); ++i) {
    for (const TensorId t : problem_->op(ops_[i]).inputs) {
      if (!produces(t)) continue;
      const OpId producer = problem_->graph().producer(t);
      if (place(producer) > i) {
        violation_ = Violation{1, opName(ops_[i]) + " is listed before " + opName(producer) +
                                      ", which produces its input " + tensorName(t)};
        return;
      }
    }
  }
}

void Subgraph::classifyTensors() {
  for (const OpId o : ops_) {
    for (const TensorId t : problem_->op(o).inputs) {
      if (ProducedTensor* own = find(t)) {
        own->sink = false;
      } else {
        external_.push_back(t);
      }
    }
  }
  std::sort(external_.begin(), external_.end());
  external_.erase(std::unique(external_.begin(), external_.end()), external_.end());
  for (const OpId o : ops_) {
    if (isSinkOutput(problem_->op(o).output)) sinks_.push_back(o);
  }
}

void Subgraph::checkConnected() {
  if (ops_.size() == 1) return;
  std::vector<std::pair<TensorId, std::uint32_t>> touches;
  for (std::uint32_t i = 0; i < ops_.size(); ++i) {
    const Op& op = problem_->op(ops_[i]);
    touches.emplace_back(op.output, i);
    for (const TensorId t : op.inputs) touches.emplace_back(t, i);
  }
  std::sort(touches.begin(), touches.end());

  std::vector<std::uint32_t> parent(ops_.size());
  std::iota(parent.begin(), parent.end(), 0U);
  const auto rootOf = [&](std::uint32_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  std::size_t components = ops_.size();
  for (std::size_t i = 1; i < touches.size(); ++i) {
    if (touches[i].first != touches[i - 1].first) continue;
    const std::uint32_t a = rootOf(touches[i].second);
    const std::uint32_t b = rootOf(touches[i - 1].second);
    if (a == b) continue;
    parent[a] = b;
    --components;
  }
  if (components == 1) return;
  for (std::uint32_t i = 1; i < ops_.size(); ++i) {
    if (rootOf(i) == rootOf(0)) continue;
    violation_ = Violation{2, opName(ops_[i]) + " is not connected to " + opName(ops_[0]) +
                                  " by tensors that the step's ops touch"};
    return;
  }
}

void Subgraph::findTilePositions() {
  const TensorId first = problem_->op(sinks_.front()).output;
  grid_ = problem_->tensor(first);
  for (const OpId o : sinks_) {
    const TensorId t = problem_->op(o).output;
    const Tensor& shape = problem_->tensor(t);
    if (shape == grid_) continue;
    violation_ =
        Violation{3, "the sinks' outputs differ in shape: " + tensorName(first) + " is " +
                         std::to_string(grid_.width) + " x " + std::to_string(grid_.height) + ", " +
                         tensorName(t) + " is " + std::to_string(shape.width) + " x " +
                         std::to_string(shape.height)};
    return;
  }
  // Consumers stand behind producers, so walking the list backwards sees a tensor's consumers
  // before its producer.
  for (auto o = ops_.rbegin(); o != ops_.rend(); ++o) {
    const Op& op = problem_->op(*o);
    ProducedTensor* own = find(op.output);
    own->tile = own->tile || own->sink;
    if (op.isMatMul()) {
      const std::int64_t reduction = problem_->reduction(*o);
      minReduction_ = minReduction_ == 0 ? reduction : std::min(minReduction_, reduction);
      if (own->tile) maxRootReduction_ = std::max(maxRootReduction_, reduction);
      continue;
    }
    if (!own->tile) continue;
    for (const TensorId t : op.inputs) {
      if (ProducedTensor* input = find(t)) input->tile = true;
    }
  }
  for (const OpId o : ops_) {
    if (!atTilePosition(problem_->op(o).output)) continue;
    (problem_->op(o).isMatMul() ? roots_ : tileOps_).push_back(o);
  }
}

void Subgraph::findPrologues() {
  const auto madeByPointwise = [&](TensorId t) {
    return produces(t) && !problem_->op(problem_->graph().producer(t)).isMatMul();
  };
  for (const OpId o : ops_) {
    const Op& op = problem_->op(o);
    if (!op.isMatMul()) continue;
    if (madeByPointwise(op.inputs[0])) lhsPrologueReductions_.push_back(problem_->reduction(o));
    if (madeByPointwise(op.inputs[1])) rhsPrologueReductions_.push_back(problem_->reduction(o));
  }
}

Subgraph::ProducedTensor* Subgraph::find(TensorId t) {
  return const_cast<ProducedTensor*>(std::as_const(*this).find(t));
}

const Subgraph::ProducedTensor* Subgraph::find(TensorId t) const {
  const auto it =
      std::lower_bound(sortedProduced_.begin(), sortedProduced_.end(), t,
                       [](const ProducedTensor& p, TensorId id) { return p.tensor < id; });
  return it != sortedProduced_.end() && it->tensor == t ? &*it : nullptr;
}

bool Subgraph::contains(OpId o) const {
  return std::binary_search(sortedOps_.begin(), sortedOps_.end(), o);
}

bool Subgraph::produces(TensorId t) const { return find(t) != nullptr; }

bool Subgraph::isExternal(TensorId t) const {
  return std::binary_search(external_.begin(), external_.end(), t);
}

bool Subgraph::isSinkOutput(TensorId t) const {
  const ProducedTensor* own = find(t);
  return own != nullptr && own->sink;
}

bool Subgraph::atTilePosition(TensorId t) const {
  const ProducedTensor* own = find(t);
  return own != nullptr && own->tile;
}

std::int64_t Subgraph::prologueWidth(std::int64_t k) const {
  return leastEdge(lhsPrologueReductions_, k);
}

std::int64_t Subgraph::prologueHeight(std::int64_t k) const {
  return leastEdge(rhsPrologueReductions_, k);
}

}  // namespace tilebeam
