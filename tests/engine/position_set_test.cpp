#include "engine/position_set.h"

#include <gmock/gmock.h>

#include <vector>

namespace tilebeam::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

PositionSet setOf(std::initializer_list<std::size_t> offsets) {
  PositionSet set;
  for (const std::size_t offset : offsets) set.add(offset);
  return set;
}

std::vector<std::size_t> offsets(PositionSet set) {
  std::vector<std::size_t> all;
  for (; !set.empty(); set.remove(all.back())) all.push_back(set.first());
  return all;
}

TEST(PositionSet, HoldsWhatIsAdded) {
  EXPECT_THAT(offsets({}), IsEmpty());
  EXPECT_THAT(offsets(setOf({255, 0, 64, 63, 64})), ElementsAre(0, 63, 64, 255));
}

TEST(PositionSet, Operations) {
  PositionSet set = setOf({1, 70, 200});
  EXPECT_TRUE(set.meets(setOf({3, 200})));
  EXPECT_FALSE(set.meets(setOf({0, 71})));
  set.add(setOf({2, 70}));
  EXPECT_THAT(offsets(set), ElementsAre(1, 2, 70, 200));
  set.remove(setOf({2, 5, 200}));
  EXPECT_THAT(offsets(set), ElementsAre(1, 70));
  set.intersect(setOf({70, 200}));
  EXPECT_THAT(offsets(set), ElementsAre(70));
}

}  // namespace
}  // namespace tilebeam::test
