#include <gmock/gmock.h>

#include <algorithm>

#include "tilebeam/schedule.h"

namespace tilebeam::test {
namespace {

using testing::ElementsAre;

TEST(Traversal, NamedOrdersVisitTilesAsTheirNamesSay) {
  EXPECT_THAT(tileOrder(TraversalKind::kRaster, 3, 2), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(tileOrder(TraversalKind::kRowSnake, 3, 2), ElementsAre(0, 1, 2, 5, 4, 3));
  EXPECT_THAT(tileOrder(TraversalKind::kColumnSnake, 3, 2), ElementsAre(0, 3, 4, 1, 2, 5));
  EXPECT_THAT(tileOrder(TraversalKind::kColumnRaster, 3, 2), ElementsAre(0, 3, 1, 4, 2, 5));
}

TEST(Traversal, NamedOrdersArePermutations) {
  for (std::int64_t columns = 1; columns <= 5; ++columns) {
    for (std::int64_t rows = 1; rows <= 5; ++rows) {
      for (const TraversalKind kind : kNamedTraversals) {
        std::vector<std::int64_t> order = tileOrder(kind, columns, rows);
        EXPECT_EQ(recogniseTraversal(order, columns, rows) == kind,
                  kind == TraversalKind::kRaster ||
                      order != tileOrder(TraversalKind::kRaster, columns, rows));
        std::sort(order.begin(), order.end());
        EXPECT_EQ(order, tileOrder(TraversalKind::kRaster, columns, rows));
      }
    }
  }
}

TEST(Traversal, SnakesMoveToANeighbourEachTime) {
  for (const TraversalKind kind : {TraversalKind::kRowSnake, TraversalKind::kColumnSnake}) {
    const auto order = tileOrder(kind, 4, 5);
    for (std::size_t i = 1; i < order.size(); ++i) {
      const std::int64_t across = std::abs(order[i] % 4 - order[i - 1] % 4);
      const std::int64_t down = std::abs(order[i] / 4 - order[i - 1] / 4);
      EXPECT_EQ(across + down, 1);
    }
  }
}

TEST(Traversal, RasterIsPreferredWhereKindsCoincide) {
  EXPECT_EQ(recogniseTraversal({0}, 1, 1), TraversalKind::kRaster);
  EXPECT_EQ(recogniseTraversal({0, 1, 2}, 3, 1), TraversalKind::kRaster);
  EXPECT_EQ(recogniseTraversal({0, 1, 2}, 1, 3), TraversalKind::kRaster);
  EXPECT_EQ(recogniseTraversal({0, 1, 3, 2}, 2, 2), TraversalKind::kRowSnake);
  EXPECT_EQ(recogniseTraversal({0, 2, 3, 1}, 2, 2), TraversalKind::kColumnSnake);
  EXPECT_EQ(recogniseTraversal({0, 2, 1, 3}, 2, 2), TraversalKind::kColumnRaster);
}

TEST(Traversal, OtherOrdersAreExplicit) {
  EXPECT_EQ(recogniseTraversal({1, 0, 2, 3}, 2, 2), TraversalKind::kExplicit);
  EXPECT_EQ(recogniseTraversal({0, 1, 2, 2}, 2, 2), TraversalKind::kExplicit);
  EXPECT_EQ(recogniseTraversal({3, 2, 1, 0}, 2, 2), TraversalKind::kExplicit);
  EXPECT_EQ(recogniseTraversal({0, 3, 1, 2}, 2, 2), TraversalKind::kExplicit);
}

TEST(Traversal, WrongLengthsAreNoNamedKind) {
  EXPECT_EQ(recogniseTraversal({}, 2, 2), TraversalKind::kExplicit);
  EXPECT_EQ(recogniseTraversal({0, 1, 2}, 2, 2), TraversalKind::kExplicit);
  EXPECT_EQ(recogniseTraversal({0, 1, 2, 3}, 2, 3), TraversalKind::kExplicit);
  // columns * rows would overflow.
  EXPECT_EQ(recogniseTraversal({0, 1}, std::int64_t{1} << 62, std::int64_t{1} << 62),
            TraversalKind::kExplicit);
}

}  // namespace
}  // namespace tilebeam::test
