#include "engine/candidate_generator.h"

#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <set>

#include "engine/search_scope.h"
#include "support/problem_builder.h"
#include "support/solve_checks.h"
#include "tilebeam/subgraph.h"

namespace tilebeam::test {
namespace {

std::vector<OpId> opsOf(const Problem& problem, const CandidatePool& pool, CandidateId c) {
  std::vector<OpId> ops;
  for (const Position p : pool.positions(c)) {
    ops.push_back(problem.graph().topologicalOrder()[static_cast<std::size_t>(p)]);
  }
  return ops;
}

CandidatePool finishedPool(StepScorer& scorer, const GeneratorLimits& limits = {}) {
  const OpPrices prices = singlePrices(scorer);
  CandidatePool pool = generateCandidates(scorer, SearchScope(prices.size()), limits, prices);
  pool.finish(prices, limits.recomputation);
  return pool;
}

// The sets of ops found, each sorted by op number.
std::set<std::vector<std::int32_t>> setsFound(const Problem& problem, bool recomputation = true) {
  StepScorer scorer(problem, DepthReading::kNative);
  GeneratorLimits limits;
  limits.recomputation = recomputation;
  const CandidatePool pool = finishedPool(scorer, limits);
  std::set<std::vector<std::int32_t>> sets;
  for (CandidateId c = 0; c < pool.size(); ++c) {
    std::vector<std::int32_t> numbers;
    for (const OpId o : opsOf(problem, pool, c)) numbers.push_back(o.value());
    std::sort(numbers.begin(), numbers.end());
    EXPECT_TRUE(sets.insert(numbers).second) << "found twice";
  }
  return sets;
}

// The ops, as bits, whose outputs an external tensor of `ops` descends from.
OpBits runBefore(const Problem& problem, const std::vector<OpId>& ops) {
  std::vector<bool> inside(problem.opCount(), false);
  for (const OpId o : ops) inside[o.index()] = true;
  std::set<OpId> before;
  std::vector<OpId> open;
  const auto visitProducers = [&](OpId o, bool fromOutside) {
    for (const TensorId t : problem.op(o).inputs) {
      const OpId producer = problem.graph().producer(t);
      if (!producer.valid() || (inside[producer.index()] && !fromOutside)) continue;
      if (before.insert(producer).second) open.push_back(producer);
    }
  };
  for (const OpId o : ops) visitProducers(o, false);
  while (!open.empty()) {
    const OpId o = open.back();
    open.pop_back();
    visitProducers(o, true);
  }
  OpBits bits = 0;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (before.contains(ops[i])) bits |= opBit(i);
  }
  return bits;
}

void expectGood(const Problem& problem, StepScorer& scorer, const CandidatePool& pool) {
  for (CandidateId c = 0; c < pool.size(); ++c) {
    const std::vector<OpId> ops = opsOf(problem, pool, c);
    const Subgraph subgraph(problem, ops);
    ASSERT_FALSE(subgraph.violation()) << subgraph.violation()->message;
    ASSERT_TRUE(std::is_sorted(pool.positions(c).begin(), pool.positions(c).end()));
    StepKey key = scorer.keyOf(ops);
    EXPECT_EQ(pool[c].remade, runBefore(problem, ops));
    key.variant.unstored = pool[c].dropped | pool[c].remade;
    const BestStep& best = scorer.score(ops, key);
    ASSERT_TRUE(best.feasible());
    ASSERT_EQ(best.latency, pool[c].latency);
    for (const CandidateOutput& output : pool.outputs(c)) {
      EXPECT_EQ(problem.op(ops[output.opIndex]).output, output.tensor);
      EXPECT_EQ(subgraph.atTilePosition(output.tensor), output.atTilePosition);
      EXPECT_TRUE(neededOutside(problem, output.tensor, ops));
    }
    for (const CandidateExternal& e : pool.externals(c)) {
      EXPECT_TRUE(subgraph.isExternal(e.tensor));
      EXPECT_EQ(e.producer == CandidateExternal::kGraphInput, problem.isGraphInput(e.tensor));
    }
  }
}

// Each op is in some candidate, and its list is right and in order.
void expectHeld(const CandidatePool& pool, std::size_t opCount) {
  std::size_t listed = 0;
  for (std::size_t p = 0; p < opCount; ++p) {
    const auto holding = pool.holding(static_cast<Position>(p));
    EXPECT_FALSE(holding.empty()) << "position " << p;
    listed += holding.size();
    for (std::size_t i = 0; i < holding.size(); ++i) {
      const auto positions = pool.positions(holding[i]);
      EXPECT_NE(std::find(positions.begin(), positions.end(), static_cast<Position>(p)),
                positions.end());
      EXPECT_LE(pool[holding[i == 0 ? 0 : i - 1]].excess, pool[holding[i]].excess);
    }
  }
  std::size_t ops = 0;
  for (CandidateId c = 0; c < pool.size(); ++c) ops += pool.positions(c).size();
  EXPECT_EQ(listed, ops);
}

TEST(CandidateGeneratorTest, FindsLegalFeasibleSetsForEveryOp) {
  for (const auto& kind : generator::kinds()) {
    SCOPED_TRACE(kind.name);
    const Problem problem = generated(kind.name, std::min(kind.maxOps, 24));
    StepScorer scorer(problem, DepthReading::kNative);
    const CandidatePool pool = finishedPool(scorer);
    expectGood(problem, scorer, pool);
    expectHeld(pool, problem.opCount());
  }
}

TEST(CandidateGeneratorTest, KeepsItsLimits) {
  const Problem problem = generated("transformer", 40);
  StepScorer scorer(problem, DepthReading::kNative);
  GeneratorLimits limits;
  limits.maxOps = 3;
  limits.window = 8;
  const CandidatePool pool = finishedPool(scorer, limits);
  for (CandidateId c = 0; c < pool.size(); ++c) {
    const auto positions = pool.positions(c);
    EXPECT_LE(positions.size(), 3U);
    EXPECT_LE(positions.back() - positions.front(), limits.window);
  }
}

TEST(CandidateGeneratorTest, FindsPointwiseChains) {
  ProblemBuilder b;
  TensorId t = b.tensor(512, 512);
  for (int i = 0; i < 5; ++i) t = b.pointwise({t}, 10);
  const auto sets = setsFound(b.build());
  EXPECT_TRUE(sets.contains({0, 1}));
  EXPECT_TRUE(sets.contains({1, 2, 3}));
  EXPECT_TRUE(sets.contains({0, 1, 2, 3, 4}));
}

TEST(CandidateGeneratorTest, FindsEpilogues) {
  ProblemBuilder b;
  const TensorId product = b.matMul(b.tensor(256, 256), b.tensor(256, 256), 50);
  const TensorId residual = b.tensor(256, 256);
  b.pointwise({b.pointwise({product}, 5), residual}, 5);
  const auto sets = setsFound(b.build());
  EXPECT_TRUE(sets.contains({0, 1}));
  EXPECT_TRUE(sets.contains({0, 1, 2}));
}

TEST(CandidateGeneratorTest, FindsNestedMatMuls) {
  ProblemBuilder b;
  const TensorId first = b.matMul(b.tensor(128, 512), b.tensor(128, 128), 5);
  b.matMul(first, b.tensor(512, 128), 50);  // 1: op 0 makes its LHS
  b.matMul(b.tensor(512, 512), b.matMul(first, b.tensor(128, 128), 5), 50);  // 3: op 2 its RHS
  const auto sets = setsFound(b.build());
  EXPECT_TRUE(sets.contains({0, 1}));
  EXPECT_TRUE(sets.contains({2, 3}));
}

TEST(CandidateGeneratorTest, FindsPrologues) {
  ProblemBuilder b;
  b.matMul(b.pointwise({b.tensor(128, 512)}, 1), b.tensor(512, 128), 50);
  EXPECT_TRUE(setsFound(b.build()).contains({0, 1}));
}

TEST(CandidateGeneratorTest, FindsSinksThatShareAnInput) {
  ProblemBuilder b;
  const TensorId x = b.tensor(256, 256);
  for (int i = 0; i < 3; ++i) b.matMul(x, b.tensor(256, 256), 50);
  const auto sets = setsFound(b.build());
  EXPECT_TRUE(sets.contains({0, 1}));
  EXPECT_TRUE(sets.contains({0, 1, 2}));
}

// Op 2 takes what op 0 makes and what op 1 makes of it: {0, 2} would wait for its own output.
TEST(CandidateGeneratorTest, SetsThatWaitForThemselvesMakeOpsAgain) {
  ProblemBuilder b;
  const TensorId t1 = b.pointwise({b.tensor(256, 256)}, 10);
  const TensorId t2 = b.pointwise({t1}, 10);
  b.pointwise({t1, t2}, 10);
  const Problem problem = b.build();
  const auto once = setsFound(problem, false);
  EXPECT_FALSE(once.contains({0, 2}));
  EXPECT_TRUE(once.contains({0, 1, 2}));
  const auto again = setsFound(problem, true);
  EXPECT_TRUE(again.contains({0, 2}));
  EXPECT_TRUE(again.contains({0, 1, 2}));
}

TEST(CandidateGeneratorTest, TwoOpsMendWhatOneBreaks) {
  // {0, 2} has two sinks of different shapes; op 1 alone breaks the grid, 1 and 3 together do not.
  ProblemBuilder b;
  const TensorId x = b.pointwise({b.tensor(128, 128)}, 10);
  const TensorId left = b.matMul(x, b.tensor(64, 128), 5);
  b.pointwise({x, b.matMul(left, b.tensor(128, 64), 5)}, 10);
  const auto sets = setsFound(b.build());
  EXPECT_TRUE(sets.contains({0, 1, 2, 3}));
}

struct PoolContent {
  std::vector<std::vector<Position>> sets;
  std::vector<double> latencies;
  std::vector<double> excesses;
  friend bool operator==(const PoolContent&, const PoolContent&) = default;
};

PoolContent contentAt(const Problem& problem, int threads) {
  const oneapi::tbb::global_control limit(oneapi::tbb::global_control::max_allowed_parallelism,
                                          static_cast<std::size_t>(threads));
  oneapi::tbb::task_arena arena(threads);
  return arena.execute([&] {
    StepScorer scorer(problem, DepthReading::kNative);
    const CandidatePool pool = finishedPool(scorer);
    PoolContent content;
    for (CandidateId c = 0; c < pool.size(); ++c) {
      const auto positions = pool.positions(c);
      content.sets.emplace_back(positions.begin(), positions.end());
      content.latencies.push_back(pool[c].latency);
      content.excesses.push_back(pool[c].excess);
    }
    return content;
  });
}

TEST(CandidateGeneratorTest, FindsTheSameWithAnyNumberOfThreads) {
  for (const char* kind : {"transformer", "ragged", "random"}) {
    SCOPED_TRACE(kind);
    const Problem problem = generated(kind, 32);
    const PoolContent alone = contentAt(problem, 1);
    EXPECT_EQ(contentAt(problem, 2), alone);
    EXPECT_EQ(contentAt(problem, 8), alone);
  }
}

}  // namespace
}  // namespace tilebeam::test
