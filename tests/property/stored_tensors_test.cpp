// storedTensors() against a word-for-word reading of the cost model's section 6.
#include <gmock/gmock.h>

#include <algorithm>

#include "support/random_schedules.h"

namespace tilebeam::test {
namespace {

using Lists = std::vector<std::vector<TensorId>>;

bool holds(const std::vector<TensorId>& list, TensorId t) {
  return std::find(list.begin(), list.end(), t) != list.end();
}

// "A later step takes it as an external tensor that is not resident there, and no step in between
// produces it."
bool takenLater(const std::vector<Subgraph>& steps, const Lists& retained, std::size_t i,
                TensorId t) {
  for (std::size_t later = i + 1; later < steps.size(); ++later) {
    if (steps[later].isExternal(t) && !holds(retained[later - 1], t)) return true;
    if (steps[later].produces(t)) return false;
  }
  return false;
}

Lists naiveStoredTensors(const std::vector<Subgraph>& steps, const Lists& retained) {
  Lists stored(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    for (const TensorId t : steps[i].produced()) {
      if (holds(retained[i], t)) continue;
      const bool inSlowMemory =
          std::any_of(stored.begin(), stored.begin() + static_cast<std::ptrdiff_t>(i),
                      [&](const auto& list) { return holds(list, t); });
      const bool needed = !inSlowMemory && takenLater(steps, retained, i, t);
      if (steps[i].isSinkOutput(t) || needed) stored[i].push_back(t);
    }
    std::sort(stored[i].begin(), stored[i].end());
  }
  return stored;
}

TEST(StoredTensors, FollowSection6) {
  Random random(61);
  std::size_t internal = 0;
  std::size_t retainedCount = 0;
  for (int round = 0; round < 4000; ++round) {
    const Problem problem = randomDag(random, random.between(2, 14));
    const std::vector<Subgraph> steps = randomSubgraphs(problem, random);
    const Lists retained = randomRetention(steps, random);
    const Lists expected = naiveStoredTensors(steps, retained);
    ASSERT_EQ(storedTensors(problem, steps, retained), expected) << "round " << round;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      retainedCount += retained[i].size();
      for (const TensorId t : expected[i]) internal += steps[i].isSinkOutput(t) ? 0U : 1U;
    }
  }
  EXPECT_GT(internal, 2000U);
  EXPECT_GT(retainedCount, 2000U);
}

}  // namespace
}  // namespace tilebeam::test
