// Down and up again with skip connections. Positions are rows, channels columns: weights on the
// right change the channels, weights on the left the resolution.
#include <algorithm>

#include "benchmarks/generator/structures.h"

namespace tilebeam::generator {
namespace {

struct Level {
  std::int64_t positions = 0;
  std::int64_t channels = 0;
};

constexpr int kBottomOps = 2;
constexpr int kLevelOps = 3 + 5;  // down, up

std::vector<Level> drawLevels(Draft& draft) {
  const auto depth = draft.rng().pick({2, 3, 3, 4});
  std::int64_t positions = draft.rng().pick<std::int64_t>({1024, 1024, 2048, 4096});
  std::int64_t channels = draft.rng().pick<std::int64_t>({128, 128, 256});
  std::vector<Level> levels;
  for (int l = 0; l <= depth; ++l) {
    Level level;
    level.positions = draft.edgeNear(positions);
    level.channels = draft.edgeNear(channels);
    levels.push_back(level);
    positions = std::max<std::int64_t>(128, positions / 2);
    channels = std::min<std::int64_t>(1024, channels * 2);
  }
  return levels;
}

// `depth` levels and the bottom below them. Returns the shape it takes: that of the top level.
TensorId addUnet(Draft& draft, const std::vector<Level>& levels, std::size_t depth, TensorId x) {
  std::vector<TensorId> skips;
  for (std::size_t l = 0; l < depth; ++l) {
    skips.push_back(draft.activate(draft.project(x, levels[l].channels)));
    x = draft.projectLeft(levels[l + 1].positions, skips.back());
  }
  x = draft.activate(draft.project(x, levels[depth].channels));
  for (std::size_t l = depth; l-- > 0;) {
    const TensorId wide = draft.projectLeft(levels[l].positions, x);
    const TensorId merged = draft.add({draft.project(wide, levels[l].channels), skips[l]});
    x = draft.activate(draft.project(merged, levels[l].channels));
  }
  return x;
}

}  // namespace

// Networks in a row, each refining what the last one made. The last one is as deep as fits.
void buildUnet(Draft& draft) {
  const std::vector<Level> levels = drawLevels(draft);
  const int deepest = static_cast<int>(levels.size()) - 1;
  TensorId x = draft.input(levels[0].positions, levels[0].channels);
  do {
    const int depth = std::clamp((draft.left() - kBottomOps) / kLevelOps, 1, deepest);
    x = addUnet(draft, levels, static_cast<std::size_t>(depth), x);
  } while (draft.left() >= kBottomOps + kLevelOps);
  draft.fill(x);
}

}  // namespace tilebeam::generator
