// The step cache: what it says is what the evaluator says of the step in a whole schedule, and
// entries are shared by equal shapes in equal contexts and by nothing else.
#include "engine/step_scorer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <thread>

#include "engine/candidate_generator.h"
#include "engine/plan.h"
#include "support/problem_builder.h"
#include "support/solve_checks.h"

namespace tilebeam::test {
namespace {

// A candidate within a schedule: every op that it waits for before it, every other op after it, one
// per step. Where asked, the op just before it retains its output.
class Setting {
 public:
  Setting(StepScorer& scorer, const CandidatePool& pool, CandidateId c)
      : scorer_(scorer), problem_(scorer.problem()) {
    const auto order = problem_.graph().topologicalOrder();
    for (const Position p : pool.positions(c)) ops_.push_back(order[static_cast<std::size_t>(p)]);
    findEarlier();
  }

  const std::vector<OpId>& ops() const { return ops_; }
  bool hasEarlier() const { return !earlier_.empty(); }

  // The last op before the candidate feeds it, since none of the others waits for it.
  TensorId carried() const { return problem_.op(earlier_.back()).output; }

  // What the scorer says of the candidate, and in `evaluated` what the evaluator does.
  BestStep score(bool carriedIn, OpBits retained, double& evaluated) const {
    StepKey key = scorer_.keyOf(ops_);
    key.variant.retained = retained;
    if (carriedIn) {
      const auto externals = externalsByFirstUse(problem_, ops_);
      const auto place = std::find(externals.begin(), externals.end(), carried());
      key.variant.residentExternals = std::uint32_t{1} << (place - externals.begin());
      key.variant.residentArea = problem_.tensor(carried()).area();
    }
    const BestStep best = scorer_.score(ops_, key);
    if (best.feasible()) evaluated = evaluate(best, carriedIn, retained);
    return best;
  }

 private:
  void findEarlier() {
    std::vector<bool> needed(problem_.opCount(), false);
    const auto order = problem_.graph().topologicalOrder();
    for (const OpId o : ops_) needed[o.index()] = true;
    for (std::size_t p = order.size(); p-- > 0;) {
      const OpId o = order[p];
      if (!needed[o.index()]) continue;
      for (const TensorId t : problem_.op(o).inputs) {
        const OpId producer = problem_.graph().producer(t);
        if (producer.valid()) needed[producer.index()] = true;
      }
    }
    for (const OpId o : order) {
      const bool own = std::find(ops_.begin(), ops_.end(), o) != ops_.end();
      if (!own) (needed[o.index()] ? earlier_ : later_).push_back(o);
    }
  }

  Step single(OpId o, bool retain) const {
    StepKey key = scorer_.keyOf(std::vector<OpId>{o});
    key.variant.retained = retain ? 1 : 0;
    const BestStep best = scorer_.score(std::vector<OpId>{o}, key);
    std::vector<TensorId> retained;
    if (retain) retained.push_back(problem_.op(o).output);
    return stepOf(plannedStep(problem_, {o}, retained, best));
  }

  // The rest of the schedule may lack what was retained and lost; the steps so far are judged all
  // the same.
  double evaluate(const BestStep& best, bool carriedIn, OpBits retained) const {
    Schedule schedule;
    for (const OpId o : earlier_) {
      schedule.steps.push_back(single(o, carriedIn && o == earlier_.back()));
    }
    std::vector<TensorId> kept;
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      if ((retained >> i & 1U) != 0) kept.push_back(problem_.op(ops_[i]).output);
    }
    schedule.steps.push_back(stepOf(plannedStep(problem_, ops_, kept, best)));
    for (const OpId o : later_) schedule.steps.push_back(single(o, false));
    const Evaluation evaluation = ScheduleEvaluator(problem_).evaluate(schedule);
    if (evaluation.steps.size() <= earlier_.size()) {
      ADD_FAILURE() << evaluation.violation->message();
      return 0;
    }
    return evaluation.steps[earlier_.size()].account.cost.latency;
  }

  StepScorer& scorer_;
  const Problem& problem_;
  std::vector<OpId> ops_;
  std::vector<OpId> earlier_;
  std::vector<OpId> later_;
};

// Whether the op just before the candidate can retain its output at all.
bool canRetain(StepScorer& scorer, TensorId t) {
  const std::vector<OpId> producer{scorer.problem().graph().producer(t)};
  StepKey key = scorer.keyOf(producer);
  key.variant.retained = 1;
  return scorer.score(producer, key).feasible();
}

struct Checked {
  int plain = 0;
  int retaining = 0;
  int carrying = 0;
};

void expectScored(const Setting& setting, bool carriedIn, OpBits retained, int& count) {
  double evaluated = 0;
  const BestStep best = setting.score(carriedIn, retained, evaluated);
  if (!best.feasible()) return;
  ++count;
  EXPECT_NEAR(best.latency, evaluated, 1e-9 * evaluated);
}

Checked checkCandidates(const Problem& problem) {
  StepScorer scorer(problem, DepthReading::kNative);
  CandidatePool pool =
      generateCandidates(scorer, SearchScope(problem.opCount()), {}, singlePrices(scorer));
  Checked checked;
  for (CandidateId c = 0; c < pool.size(); ++c) {
    if (pool[c].dropped != 0 || pool[c].remade != 0) continue;  // some step runs an op again
    const Setting setting(scorer, pool, c);
    expectScored(setting, false, 0, checked.plain);
    for (const CandidateOutput& output : pool.outputs(c)) {
      if (output.atTilePosition) expectScored(setting, false, output.bit(), checked.retaining);
    }
    if (setting.hasEarlier() && canRetain(scorer, setting.carried())) {
      expectScored(setting, true, 0, checked.carrying);
    }
  }
  return checked;
}

TEST(StepScorerTest, AgreesWithTheEvaluatorInEveryContext) {
  Checked total;
  for (const char* kind : {"transformer", "recurrent", "ragged", "random"}) {
    SCOPED_TRACE(kind);
    const Checked checked = checkCandidates(generated(kind, 16, 1, generator::Memory::kRoomy));
    EXPECT_GT(checked.plain, 10);
    total.retaining += checked.retaining;
    total.carrying += checked.carrying;
  }
  EXPECT_GT(total.retaining, 20);
  EXPECT_GT(total.carrying, 10);
}

// Equal layers: Pointwise, MatMul, Pointwise, MatMul, and so on.
Problem layers(int count) {
  ProblemBuilder b;
  TensorId t = b.tensor(256, 256);
  for (int layer = 0; layer < count; ++layer) {
    t = b.matMul(b.pointwise({t}, 100), b.tensor(256, 256), 900);
  }
  return b.build();
}

const BestStep& plainScore(StepScorer& scorer, const std::vector<OpId>& ops) {
  return scorer.score(ops, scorer.keyOf(ops));
}

TEST(StepScorerTest, EqualShapesShareAnEntry) {
  ProblemBuilder b;
  TensorId t = b.tensor(256, 256);
  for (int i = 0; i < 4; ++i) t = b.pointwise({t}, 100);
  const Problem problem = b.build();
  StepScorer scorer(problem, DepthReading::kNative);
  EXPECT_EQ(scorer.keyOf(ops({0})), scorer.keyOf(ops({2})));
  EXPECT_EQ(scorer.keyOf(ops({0, 1})), scorer.keyOf(ops({1, 2})));
  const BestStep* first = &plainScore(scorer, ops({0, 1}));
  EXPECT_EQ(scorer.cachedSteps(), 1U);
  EXPECT_EQ(&plainScore(scorer, ops({1, 2})), first);
  EXPECT_EQ(scorer.cachedSteps(), 1U);
  const SearchCounters counters = scorer.counters().sum();
  EXPECT_EQ(counters.stepCacheMisses, 1);
  EXPECT_EQ(counters.stepCacheHits, 1);
}

TEST(StepScorerTest, ForgetsAllThatItHasScored) {
  const Problem problem = layers(3);
  StepScorer scorer(problem, DepthReading::kNative);
  const OpPrices before = singlePrices(scorer);
  EXPECT_GT(scorer.cachedSteps(), 1U);
  scorer.forget(TraceRecorder::none());
  EXPECT_EQ(scorer.cachedSteps(), 0U);
  EXPECT_EQ(singlePrices(scorer), before);
}

TEST(StepScorerTest, EqualLayersShareEntries) {
  const Problem problem = layers(3);
  const StepScorer scorer(problem, DepthReading::kNative);
  EXPECT_EQ(scorer.keyOf(ops({0, 1})), scorer.keyOf(ops({2, 3})));
  EXPECT_EQ(scorer.keyOf(ops({1, 2})), scorer.keyOf(ops({3, 4})));
  EXPECT_NE(scorer.keyOf(ops({0, 1})), scorer.keyOf(ops({1, 2})));
}

TEST(StepScorerTest, ShapesThatDifferHaveTheirOwnEntries) {
  ProblemBuilder b;
  const TensorId x = b.tensor(256, 256);
  const TensorId y = b.tensor(128, 256);
  const TensorId a = b.pointwise({x}, 100);
  b.pointwise({x}, 101);     // 1: another cost
  b.pointwise({y}, 100);     // 2: another size
  b.pointwise({x, a}, 100);  // 3: another input
  b.matMul(x, x, 100);       // 4: one tensor twice
  b.matMul(x, a, 100);       // 5: two tensors
  b.matMul(a, b.tensor(256, 256), 100);
  const Problem problem = b.build();
  const StepScorer scorer(problem, DepthReading::kNative);
  std::vector<StepKey> keys;
  for (const std::int32_t o : {0, 1, 2, 3, 4, 5}) keys.push_back(scorer.keyOf(ops({o})));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(keys[i], keys[j]) << i << ' ' << j;
  }
  // An operand's side, and whether an internal tensor is needed outside.
  EXPECT_NE(scorer.keyOf(ops({0, 5})), scorer.keyOf(ops({0, 6})));
}

TEST(StepScorerTest, ContextsHaveTheirOwnEntries) {
  const Problem problem = layers(2);
  StepScorer scorer(problem, DepthReading::kNative);
  const std::vector<OpId> step = ops({1, 2});
  StepKey plain = scorer.keyOf(step);
  StepKey retained = plain;
  retained.variant.retained = 2;
  StepKey carried = plain;
  carried.variant.residentExternals = 1;
  carried.variant.residentArea = 256 * 256;
  StepKey crowded = plain;
  crowded.variant.residentArea = 256 * 256;
  StepKey unstored = plain;
  unstored.variant.unstored = 1;
  const double stored = scorer.score(step, plain).latency;
  EXPECT_LT(scorer.score(step, retained).latency, stored);
  EXPECT_LT(scorer.score(step, carried).latency, stored);
  EXPECT_EQ(scorer.score(step, crowded).latency, stored);
  scorer.score(step, unstored);
  EXPECT_EQ(scorer.cachedSteps(), 5U);
}

// The limit is by what the ops cost alone, and what is below it costs what it did.
TEST(StepScorerTest, AStepFarDearerThanItsOpsAloneDoesNotFit) {
  const Problem problem = layers(2);
  const std::vector<OpId> step = ops({1, 2});
  StepScorer unlimited(problem, DepthReading::kNative);
  StepKey retained = unlimited.keyOf(step);
  retained.variant.retained = 2;
  const double plain = plainScore(unlimited, step).latency;
  const double retaining = unlimited.score(step, retained).latency;
  const auto scored = [&](double alone, const StepKey& key) {
    StepScorer scorer(problem, DepthReading::kNative);
    scorer.setSingles(std::vector<double>(problem.opCount(), alone / 2));
    EXPECT_TRUE(plainScore(scorer, ops({0})).feasible());  // an op alone always counts
    return scorer.score(step, key).latency;
  };
  const double infinity = std::numeric_limits<double>::infinity();
  const StepKey key = unlimited.keyOf(step);
  EXPECT_EQ(scored(plain / 1.29, key), plain);
  EXPECT_EQ(scored(plain / 1.31, key), infinity);
  EXPECT_EQ(scored(retaining / 1.99, retained), retaining);
  EXPECT_EQ(scored(retaining / 2.01, retained), infinity);
  EXPECT_EQ(scored(infinity, key), plain);
}

// Op 0's output is taken by op 2 too. A later step that makes it again spares this one its store.
TEST(StepScorerTest, WhatIsMadeAgainLaterIsNotStored) {
  ProblemBuilder b;
  const TensorId t1 = b.pointwise({b.tensor(256, 256)}, 1);
  b.pointwise({t1}, 1);
  b.pointwise({t1}, 1);
  const Problem problem = b.build();
  StepScorer scorer(problem, DepthReading::kNative);
  StepKey key = scorer.keyOf(ops({0, 1}));
  const BestStep stored = scorer.score(ops({0, 1}), key);
  key.variant.unstored = 1;
  const BestStep ephemeral = scorer.score(ops({0, 1}), key);
  const auto firstLatency = [&](const BestStep& best, std::initializer_list<std::int32_t> second) {
    const BestStep last = plainScore(scorer, ops(second));
    const Schedule schedule{{stepOf(plannedStep(problem, ops({0, 1}), {}, best)),
                             stepOf(plannedStep(problem, ops(second), {}, last))}};
    const Evaluation evaluation = ScheduleEvaluator(problem).evaluate(schedule);
    EXPECT_TRUE(evaluation.valid());
    return evaluation.steps.front().account.cost.latency;
  };
  EXPECT_LT(ephemeral.latency, stored.latency);
  EXPECT_DOUBLE_EQ(stored.latency, firstLatency(stored, {2}));
  EXPECT_DOUBLE_EQ(ephemeral.latency, firstLatency(ephemeral, {0, 2}));
}

TEST(StepScorerTest, ASetThatBreaksARuleIsInfeasible) {
  ProblemBuilder b;
  const TensorId x = b.tensor(256, 256);
  const TensorId y = b.tensor(256, 256);
  b.pointwise({x});
  b.pointwise({y});
  const Problem problem = b.build();
  StepScorer scorer(problem, DepthReading::kNative);
  EXPECT_FALSE(plainScore(scorer, ops({0, 1})).feasible());
  EXPECT_TRUE(plainScore(scorer, ops({0})).feasible());
}

TEST(StepScorerTest, ManyThreadsScoreTheSame) {
  const Problem problem = generated("transformer", 28);
  StepScorer alone(problem, DepthReading::kNative);
  const OpPrices expected = singlePrices(alone);
  StepScorer shared(problem, DepthReading::kNative);
  const auto order = problem.graph().topologicalOrder();
  std::vector<OpPrices> found(8, OpPrices(order.size()));
  {
    std::vector<std::jthread> threads;
    for (OpPrices& prices : found) {
      threads.emplace_back([&] {
        for (std::size_t p = 0; p < order.size(); ++p) {
          prices[p] = plainScore(shared, {order[p]}).latency;
        }
      });
    }
  }
  for (const OpPrices& prices : found) EXPECT_EQ(prices, expected);
  EXPECT_EQ(shared.cachedSteps(), alone.cachedSteps());
}

}  // namespace
}  // namespace tilebeam::test
