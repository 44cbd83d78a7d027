// Attention. The model knows no transpose and no reduction: the keys come transposed, as weights
// times a graph input that stands for the transposed activations, or straight from a cache; and
// softmax is a Pointwise.
#include <algorithm>

#include "benchmarks/generator/structures.h"

namespace tilebeam::generator {
namespace {

struct Attention {
  std::int64_t sequence = 0;
  std::int64_t hidden = 0;
  std::int64_t head = 0;
  bool cachedKeys = false;

  // Queries, keys, values, scores, softmax, context, output projection.
  int headOps() const { return cachedKeys ? 6 : 7; }
};

// The contribution of one head: sequence rows, hidden columns.
TensorId addHead(Draft& draft, const Attention& a, TensorId x, TensorId transposed) {
  const TensorId queries = draft.project(x, a.head);
  const TensorId keys =
      a.cachedKeys ? draft.input(a.head, a.sequence) : draft.projectLeft(a.head, transposed);
  const TensorId values = draft.project(x, a.head);
  const TensorId scores = draft.multiply(queries, keys);
  const TensorId weights = draft.activate(scores);
  const TensorId context = draft.multiply(weights, values);
  return draft.project(context, a.hidden);
}

TensorId addAttention(Draft& draft, const Attention& a, TensorId x, bool norm) {
  const TensorId normed = norm ? draft.activate(x) : x;
  const TensorId transposed = draft.input(a.hidden, a.sequence);
  return draft.add({addHead(draft, a, normed, transposed), x});
}

TensorId addMlp(Draft& draft, std::int64_t hidden, std::int64_t inner, TensorId x, bool norm) {
  const TensorId up = draft.project(norm ? draft.activate(x) : x, inner);
  const TensorId down = draft.project(draft.activate(up), hidden);
  return draft.add({down, x});
}

// All heads read the same activations; how their contributions are summed is drawn once.
struct Merge {
  std::size_t fanIn = 2;
  bool balanced = true;
};

TensorId addHeads(Draft& draft, const Attention& a, const Merge& merge, int heads, TensorId x) {
  const TensorId transposed = draft.input(a.hidden, a.sequence);
  std::vector<TensorId> parts;
  for (int h = 0; h < heads; ++h) parts.push_back(addHead(draft, a, x, transposed));
  parts.push_back(x);
  return draft.sum(parts, merge.fanIn, merge.balanced);
}

Attention drawAttention(Draft& draft) {
  Attention a;
  a.sequence = draft.edge({128, 256, 512, 1024, 2048});
  a.hidden = draft.edge({256, 512, 1024, 2048});
  a.head = draft.edge({128, 128, 256});
  a.cachedKeys = draft.rng().chance(25);
  return a;
}

}  // namespace

void buildTransformer(Draft& draft) {
  Attention a = drawAttention(draft);
  if (draft.rng().chance(30)) a.head = a.hidden;
  const std::int64_t inner = draft.edgeNear(std::min<std::int64_t>(4096, 4 * a.hidden));
  const bool norm = draft.rng().chance(50);
  const int mlpOps = norm ? 5 : 4;
  const int attentionOps = a.headOps() + (norm ? 2 : 1);

  TensorId x = draft.input(a.sequence, a.hidden);
  if (draft.left() < mlpOps) x = addMlp(draft, a.hidden, inner, x, norm);
  while (draft.left() >= mlpOps) {
    if (draft.left() >= attentionOps) x = addAttention(draft, a, x, norm);
    if (draft.left() >= mlpOps) x = addMlp(draft, a.hidden, inner, x, norm);
  }
  draft.fill(x);
}

void buildMultiHead(Draft& draft) {
  const Attention a = drawAttention(draft);
  const auto drawnHeads = draft.rng().pick({4, 8, 12, 16});
  Merge merge;
  merge.fanIn = draft.rng().pick<std::size_t>({2, 2, 3, 4});
  merge.balanced = draft.rng().chance(50);

  // A head needs at most one add. The last layer has as many heads as there is room for.
  const int perHead = a.headOps() + 1;
  TensorId x = draft.input(a.sequence, a.hidden);
  do {
    const int heads = std::clamp(draft.left() / perHead, 1, drawnHeads);
    x = addHeads(draft, a, merge, heads, x);
  } while (draft.left() >= perHead);
  draft.fill(x);
}

}  // namespace tilebeam::generator
