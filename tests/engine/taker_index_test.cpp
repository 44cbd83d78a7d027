#include "engine/taker_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "engine/candidate_generator.h"
#include "support/solve_checks.h"

namespace tilebeam::test {
namespace {

// A pool, and which of its candidates may come next once some ops are covered.
class Setting {
 public:
  Setting(const Problem& problem, bool recomputation)
      : problem_(problem), recomputation_(recomputation), scorer_(problem, DepthReading::kNative) {
    GeneratorLimits limits;
    limits.recomputation = recomputation;
    const OpPrices prices = singlePrices(scorer_);
    pool_ = generateCandidates(scorer_, SearchScope(prices.size()), limits, prices);
    pool_.finish(prices, recomputation);
  }

  const CandidatePool& pool() const { return pool_; }

  std::vector<CandidateId> all() const {
    std::vector<CandidateId> ids(pool_.size());
    for (CandidateId c = 0; c < ids.size(); ++c) ids[c] = c;
    return ids;
  }

  // Whether one of `candidates` takes the outputs of `producers` and leaves none that is needed
  // after.
  bool anyFollows(std::span<const CandidateId> candidates, std::span<const Position> producers,
                  const std::vector<bool>& covered) const {
    return std::any_of(candidates.begin(), candidates.end(), [&](CandidateId c) {
      return ready(c, covered) && std::all_of(producers.begin(), producers.end(), [&](Position p) {
               return !pool_.holds(c, p) && takesUp(c, p, covered);
             });
    });
  }

  // Ops in an order in which they may run, so that their first few can be covered.
  std::vector<bool> someCovered(std::mt19937& random) const {
    std::vector<bool> covered(problem_.opCount(), false);
    const std::size_t wanted = random() % covered.size();
    for (std::size_t tries = 0; tries < 20 * wanted; ++tries) {
      const auto p = static_cast<Position>(random() % covered.size());
      if (inputsReady(p, covered)) covered[static_cast<std::size_t>(p)] = true;
    }
    return covered;
  }

 private:
  const Graph& graph() const { return problem_.graph(); }
  const Op& opAt(Position p) const {
    return problem_.op(graph().topologicalOrder()[static_cast<std::size_t>(p)]);
  }

  bool inputsReady(Position p, const std::vector<bool>& covered) const {
    return std::all_of(opAt(p).inputs.begin(), opAt(p).inputs.end(), [&](TensorId t) {
      const OpId producer = graph().producer(t);
      return !producer.valid() || covered[static_cast<std::size_t>(graph().position(producer))];
    });
  }

  bool ready(CandidateId c, const std::vector<bool>& covered) const {
    const auto positions = pool_.positions(c);
    const auto externals = pool_.externals(c);
    return (recomputation_ ||
            std::none_of(positions.begin(), positions.end(),
                         [&](Position p) { return covered[static_cast<std::size_t>(p)]; })) &&
           std::all_of(externals.begin(), externals.end(), [&](const CandidateExternal& e) {
             return e.producer == CandidateExternal::kGraphInput ||
                    covered[static_cast<std::size_t>(e.producer)];
           });
  }

  bool takesUp(CandidateId c, Position producer, const std::vector<bool>& covered) const {
    const TensorId t = opAt(producer).output;
    bool taken = false;
    for (const OpId o : graph().consumers(t)) {
      const Position taker = graph().position(o);
      if (covered[static_cast<std::size_t>(taker)]) continue;
      if (!pool_.holds(c, taker) && !(recomputation_ && pool_.canRemake(t, taker))) return false;
      taken = taken || pool_.holds(c, taker);
    }
    return taken;
  }

  const Problem& problem_;
  bool recomputation_;
  StepScorer scorer_;
  CandidatePool pool_{problem_, 0, 0};
};

// The outputs that one step can retain, alone and two by two.
std::vector<std::vector<Position>> retainable(const CandidatePool& pool) {
  std::vector<std::vector<Position>> groups;
  for (CandidateId c = 0; c < pool.size(); ++c) {
    std::vector<Position> made;
    for (const CandidateOutput& o : pool.outputs(c)) {
      if (o.atTilePosition) made.push_back(pool.positions(c)[o.opIndex]);
    }
    for (std::size_t i = 0; i < made.size(); ++i) {
      groups.push_back({made[i]});
      for (std::size_t j = 0; j < i; ++j) groups.push_back({made[i], made[j]});
    }
  }
  std::sort(groups.begin(), groups.end());
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  return groups;
}

TEST(TakerIndexTest, AnswersAsAllCandidatesWould) {
  std::mt19937 random(7);
  std::size_t taken = 0;
  std::size_t asked = 0;
  std::size_t indexed = 0;
  std::size_t holding = 0;
  for (const char* kind : {"moe", "random", "transformer"}) {
    const Problem problem = generated(kind, 24);
    for (const bool recomputation : {false, true}) {
      SCOPED_TRACE(std::string(kind) + (recomputation ? ", making ops again" : ""));
      const Setting setting(problem, recomputation);
      const TakerIndex index(problem, setting.pool());
      const std::vector<CandidateId> all = setting.all();
      for (const auto& producers : retainable(setting.pool())) {
        indexed += index.of(producers).size();
        holding += all.size();
        for (int i = 0; i < 20; ++i) {
          const std::vector<bool> covered = setting.someCovered(random);
          const bool expected = setting.anyFollows(all, producers, covered);
          ASSERT_EQ(setting.anyFollows(index.of(producers), producers, covered), expected);
          taken += expected ? 1 : 0;
          ++asked;
        }
      }
    }
  }
  EXPECT_GT(taken, asked / 100);
  EXPECT_LT(taken, asked);
  EXPECT_LT(indexed * 10, holding);
}

TEST(TakerIndexTest, StoppedItListsNothing) {
  const Problem problem = generated("moe", 24);
  const Setting setting(problem, false);
  const TakerIndex index(problem, setting.pool(), [] { return true; });
  for (const auto& producers : retainable(setting.pool())) {
    EXPECT_TRUE(index.of(producers).empty());
  }
}

}  // namespace
}  // namespace tilebeam::test
