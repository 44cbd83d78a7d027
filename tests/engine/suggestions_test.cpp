#include "engine/suggestions.h"

#include <gtest/gtest.h>
#include <oneapi/tbb/parallel_for.h>

#include <set>

namespace tilebeam::test {
namespace {

std::vector<OpId> setOf(std::size_t number) {
  std::vector<OpId> ops;
  for (std::size_t i = 0; i <= number % 5; ++i) ops.push_back(OpId::fromIndex(number + i));
  return ops;
}

std::multiset<std::vector<OpId>> all(const std::vector<SuggestedSets>& taken) {
  std::multiset<std::vector<OpId>> sets;
  for (const SuggestedSets& met : taken) {
    for (std::size_t i = 0; i < met.size(); ++i) sets.insert({met[i].begin(), met[i].end()});
  }
  return sets;
}

TEST(SuggestionsTest, KnowsWhatThisWorkerHasAdded) {
  Suggestions suggestions;
  EXPECT_FALSE(suggestions.has(0));
  for (std::uint64_t hash = 0; hash < 1000; hash += 2) suggestions.add(hash, setOf(hash));
  for (std::uint64_t hash = 2; hash < 1000; ++hash) {
    EXPECT_EQ(suggestions.has(hash), hash % 2 == 0) << hash;
  }
}

TEST(SuggestionsTest, GivesWhatAllWorkersAddedAndIsEmptyThen) {
  constexpr std::size_t kSets = 3000;
  Suggestions suggestions;
  oneapi::tbb::parallel_for(std::size_t{1}, kSets,
                            [&](std::size_t i) { suggestions.add(i << 40, setOf(i)); });
  std::multiset<std::vector<OpId>> expected;
  for (std::size_t i = 1; i < kSets; ++i) expected.insert(setOf(i));
  EXPECT_EQ(all(suggestions.take()), expected);
  EXPECT_TRUE(all(suggestions.take()).empty());
  EXPECT_FALSE(suggestions.has(std::uint64_t{1} << 40));
}

}  // namespace
}  // namespace tilebeam::test
