#include "support/random_schedules.h"

#include <algorithm>

namespace tilebeam::test {
namespace {

template <class T>
const T& pick(const std::vector<T>& list, Random& random) {
  return list[static_cast<std::size_t>(
      random.between(0, static_cast<std::int64_t>(list.size()) - 1))];
}

void sortByPosition(const Problem& problem, std::vector<OpId>& ops) {
  std::sort(ops.begin(), ops.end(), [&](OpId a, OpId b) {
    return problem.graph().position(a) < problem.graph().position(b);
  });
}

// Whether a step of these ops breaks no static rule and takes only what is there.
bool fits(const Problem& problem, const std::vector<OpId>& ops, const std::vector<bool>& made) {
  const Subgraph subgraph(problem, ops);
  if (subgraph.violation()) return false;
  return std::all_of(subgraph.external().begin(), subgraph.external().end(),
                     [&](TensorId t) { return problem.isGraphInput(t) || made[t.index()]; });
}

// Grows a step around `seed` by random ops, covered already or not.
std::vector<OpId> growStep(const Problem& problem, OpId seed, const std::vector<bool>& made,
                           Random& random) {
  std::vector<OpId> step{seed};
  const auto order = problem.graph().topologicalOrder();
  const std::vector<OpId> all(order.begin(), order.end());
  for (std::int64_t tries = random.between(0, 12); tries > 0; --tries) {
    const OpId o = pick(all, random);
    if (std::find(step.begin(), step.end(), o) != step.end()) continue;
    std::vector<OpId> larger = step;
    larger.push_back(o);
    sortByPosition(problem, larger);
    if (fits(problem, larger, made)) step = std::move(larger);
  }
  return step;
}

}  // namespace

Problem randomDag(Random& random, std::int64_t opCount) {
  std::vector<Tensor> tensors(static_cast<std::size_t>(random.between(1, 3)), Tensor{4, 4});
  std::vector<Op> ops;
  for (std::int64_t i = 0; i < opCount; ++i) {
    Op op;
    const bool matMul = random.chance(25);
    op.type = matMul ? OpType::kMatMul : OpType::kPointwise;
    op.baseCost = static_cast<double>(random.between(0, 9));
    const std::int64_t last = static_cast<std::int64_t>(tensors.size()) - 1;
    for (std::int64_t n = matMul ? 2 : random.between(1, 3); n > 0; --n) {
      op.inputs.emplace_back(static_cast<std::int32_t>(
          random.chance(60) ? random.between(std::max<std::int64_t>(0, last - 2), last)
                            : random.between(0, last)));
    }
    tensors.push_back({4, 4});
    op.output = TensorId::fromIndex(tensors.size() - 1);
    ops.push_back(op);
  }
  return Problem(tensors, ops, {1'000'000, 3, 4, 4});
}

std::vector<Subgraph> randomSubgraphs(const Problem& problem, Random& random) {
  std::vector<Subgraph> subgraphs;
  std::vector<bool> made(problem.tensorCount(), false);
  for (const OpId o : problem.graph().topologicalOrder()) {
    if (made[problem.op(o).output.index()] && !random.chance(15)) continue;
    subgraphs.emplace_back(problem, growStep(problem, o, made, random));
    for (const TensorId t : subgraphs.back().produced()) made[t.index()] = true;
  }
  return subgraphs;
}

std::vector<std::vector<TensorId>> randomRetention(const std::vector<Subgraph>& subgraphs,
                                                   Random& random) {
  std::vector<std::vector<TensorId>> retained(subgraphs.size());
  for (std::size_t i = 0; i + 1 < subgraphs.size(); ++i) {
    for (const TensorId t : subgraphs[i].produced()) {
      const bool carried = i > 0 && std::find(retained[i - 1].begin(), retained[i - 1].end(), t) !=
                                        retained[i - 1].end();
      if (!carried && random.chance(20)) retained[i].push_back(t);
    }
  }
  return retained;
}

std::optional<Schedule> randomSchedule(const Problem& problem, Random& random) {
  const std::vector<Subgraph> subgraphs = randomSubgraphs(problem, random);
  Schedule schedule;
  for (const Subgraph& s : subgraphs) {
    Step step{{s.ops().begin(), s.ops().end()}, randomGranularity(s, random), {}, {}, {}};
    step.traversal.kind = static_cast<TraversalKind>(random.between(0, 2));
    schedule.steps.push_back(std::move(step));
  }
  const ScheduleEvaluator evaluator(problem);
  const std::vector<std::vector<TensorId>> retained = randomRetention(subgraphs, random);
  Schedule retaining = schedule;
  for (std::size_t i = 0; i < retained.size(); ++i) retaining.steps[i].retained = retained[i];
  if (evaluator.evaluate(retaining).valid()) return retaining;
  if (evaluator.evaluate(schedule).valid()) return schedule;
  return std::nullopt;
}

}  // namespace tilebeam::test
