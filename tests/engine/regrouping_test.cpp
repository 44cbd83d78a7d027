#include "engine/regrouping.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "support/problem_builder.h"
#include "support/solve_checks.h"

namespace tilebeam::test {
namespace {

// A window that is the whole of a problem.
class Window {
 public:
  explicit Window(const Problem& problem)
      : scorer_(problem, DepthReading::kFull),
        within_(problem.opCount()),
        scope_(scorer_, within_, {}, never_) {}

  const RegroupingScope& scope() const { return scope_; }

  StepChain step(const std::vector<OpId>& ops) const {
    return {{ops, {}, scope_.chains.score(ops), {}}};
  }

  std::vector<StepChain> singles() const {
    std::vector<StepChain> chains;
    for (const OpId o : scope_.problem.graph().topologicalOrder()) chains.push_back(step({o}));
    return chains;
  }

  // Put together from single ops.
  std::vector<StepChain> merged(std::optional<std::uint64_t> seed) const {
    Regrouping regrouping(scope_, singles());
    regrouping.improve(TraceRecorder::none(), seed);
    return regrouping.copy();
  }

 private:
  StepScorer scorer_;
  SearchScope within_;
  std::function<bool()> never_ = [] { return false; };
  RegroupingScope scope_;
};

double latencyOfAll(const std::vector<StepChain>& chains) {
  return std::accumulate(chains.begin(), chains.end(), 0.0,
                         [](double sum, const StepChain& chain) { return sum + latencyOf(chain); });
}

// Two chains of three ops that have nothing to do with each other: 0 to 2 and 3 to 5.
Problem twoChains() {
  ProblemBuilder b;
  b.bandwidth(1);
  for (int chain = 0; chain < 2; ++chain) {
    TensorId x = b.tensor(128, 128);
    for (int i = 0; i < 3; ++i) x = b.pointwise({x}, 10);
  }
  return b.build();
}

TEST(Regrouping, CrossingTakesTheBetterOfEachPart) {
  const Problem problem = twoChains();
  const Window window(problem);
  const auto step = [&](std::initializer_list<std::int32_t> set) { return window.step(ops(set)); };
  // The first chain is best in one, the second in the other.
  Regrouping here(window.scope(), {step({0, 1, 2}), step({3}), step({4}), step({5})});
  const std::vector<StepChain> other{step({0}), step({1, 2}), step({3, 4, 5})};
  EXPECT_TRUE(here.cross(other));
  ASSERT_EQ(here.groups().present().size(), 2U);
  EXPECT_NEAR(latencyOfAll(here.copy()), latencyOf(step({0, 1, 2})) + latencyOf(step({3, 4, 5})),
              1e-9);
  EXPECT_FALSE(here.cross(other));
}

TEST(Regrouping, CrossingLeavesWhatHangsTogetherAsItIs) {
  const Problem problem = twoChains();
  const Window window(problem);
  const auto step = [&](std::initializer_list<std::int32_t> set) { return window.step(ops(set)); };
  // Neither part of the other's first chain is better than what covers the same ops here.
  Regrouping here(window.scope(), {step({0, 1}), step({2}), step({3, 4, 5})});
  const std::vector<StepChain> other{step({0}), step({1, 2}), step({3}), step({4, 5})};
  EXPECT_FALSE(here.cross(other));
  EXPECT_EQ(here.groups().present().size(), 3U);
}

// No worse than the better of the two, unless groups would wait for each other; all ops once.
TEST(Regrouping, CrossingIsSound) {
  int better = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    const Problem problem = generated("random", 60, seed, generator::Memory::kRoomy);
    const Window window(problem);
    const std::vector<StepChain> first = window.merged(2 * seed);
    const std::vector<StepChain> second = window.merged(2 * seed + 1);
    Regrouping crossed(window.scope(), first);
    const bool any = crossed.cross(second);
    const double latency = latencyOfAll(crossed.copy());
    EXPECT_EQ(any, latency < latencyOfAll(first));
    if (latency < std::min(latencyOfAll(first), latencyOfAll(second))) ++better;
    std::set<OpId> distinct;
    std::size_t run = 0;
    for (const PlannedStep& s : crossed.groups().steps()) {
      distinct.insert(s.ops.begin(), s.ops.end());
      run += s.ops.size();
    }
    EXPECT_EQ(distinct.size(), problem.opCount());
    EXPECT_EQ(run, problem.opCount());
  }
  EXPECT_GT(better, 0);
}

TEST(Regrouping, ChanceLeadsToOtherSteps) {
  const Problem problem = generated("random", 60, 5, generator::Memory::kRoomy);
  const Window window(problem);
  std::set<double> latencies;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    latencies.insert(latencyOfAll(window.merged(seed)));
    EXPECT_EQ(latencyOfAll(window.merged(seed)), latencyOfAll(window.merged(seed)));
  }
  EXPECT_GT(latencies.size(), 1U);
  EXPECT_EQ(latencyOfAll(window.merged({})), latencyOfAll(window.merged({})));
}

}  // namespace
}  // namespace tilebeam::test
