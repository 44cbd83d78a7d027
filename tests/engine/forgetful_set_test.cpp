#include "engine/forgetful_set.h"

#include <gtest/gtest.h>

#include "engine/step_shape.h"

namespace tilebeam::test {
namespace {

ContentHash hashOf(std::uint64_t i) { return {mix(i), mix(~i)}; }

TEST(ForgetfulSet, KnowsWhatCameLast) {
  ForgetfulSet set;
  EXPECT_FALSE(set.contains(hashOf(1)));
  for (std::uint64_t i = 1; i <= 1'000'000; ++i) {
    set.add(hashOf(i));
    ASSERT_TRUE(set.contains(hashOf(i)));
  }
}

TEST(ForgetfulSet, ForgetsButNeverInvents) {
  constexpr std::uint64_t kCount = 1'000'000;
  ForgetfulSet set;
  for (std::uint64_t i = 0; i < kCount; ++i) set.add(hashOf(i));
  std::uint64_t known = 0;
  for (std::uint64_t i = 0; i < 2 * kCount; ++i) {
    if (!set.contains(hashOf(i))) continue;
    ASSERT_LT(i, kCount);
    ++known;
  }
  EXPECT_GT(known, 10'000U);
  EXPECT_LT(known, 100'000U);
}

TEST(ForgetfulSet, BothHalvesOfAHashCount) {
  ForgetfulSet set;
  set.add({7, 1});
  EXPECT_TRUE(set.contains({7, 1}));
  EXPECT_FALSE(set.contains({7, 2}));
}

TEST(ContentHash, OfASumIsTheSameInAnyOrder) {
  ContentHash one = hashOf(1);
  one += hashOf(2);
  ContentHash other = hashOf(2);
  other += hashOf(1);
  EXPECT_EQ(one, other);
}

}  // namespace
}  // namespace tilebeam::test
