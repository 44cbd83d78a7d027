// Feed-forward blocks: gated, and as mixtures of experts.
#include <algorithm>

#include "benchmarks/generator/structures.h"

namespace tilebeam::generator {
namespace {

struct Mlp {
  std::int64_t tokens = 0;
  std::int64_t hidden = 0;
  std::int64_t inner = 0;
};

Mlp drawMlp(Draft& draft) {
  Mlp m;
  m.tokens = draft.edge({128, 256, 512, 1024, 2048});
  m.hidden = draft.edge({256, 512, 1024, 2048});
  m.inner = draft.edge({512, 1024, 2048, 4096});
  return m;
}

constexpr int kGatedOps = 6;

TensorId addGatedMlp(Draft& draft, const Mlp& m, TensorId x, bool norm) {
  const TensorId normed = norm ? draft.activate(x) : x;
  const TensorId up = draft.project(normed, m.inner);
  const TensorId gate = draft.activate(draft.project(normed, m.inner));
  const TensorId gated = draft.add({up, gate});
  return draft.add({draft.project(gated, m.hidden), x});
}

// Two ops route the tokens; an expert is an MLP whose output its own score weighs.
constexpr int kRouterOps = 2;
constexpr int kExpertOps = 5;

struct Mixture {
  Mlp mlp;
  std::int64_t router = 0;
  int fanIn = 2;
  bool balanced = true;

  // With the residual one more part to sum up.
  int blockOps(int experts) const {
    return kRouterOps + kExpertOps * experts + Draft::sumOps(experts + 1, fanIn);
  }
};

TensorId addExpert(Draft& draft, const Mixture& m, TensorId x, TensorId routes) {
  const TensorId score = draft.project(routes, m.mlp.hidden);
  const TensorId inner = draft.activate(draft.project(x, m.mlp.inner));
  const TensorId output = draft.project(inner, m.mlp.hidden);
  return draft.add({output, score});
}

TensorId addMixture(Draft& draft, const Mixture& m, int experts, TensorId x) {
  const TensorId routes = draft.activate(draft.project(x, m.router));
  std::vector<TensorId> parts;
  for (int e = 0; e < experts; ++e) parts.push_back(addExpert(draft, m, x, routes));
  parts.push_back(x);
  return draft.sum(parts, static_cast<std::size_t>(m.fanIn), m.balanced);
}

}  // namespace

void buildGatedMlp(Draft& draft) {
  const Mlp m = drawMlp(draft);
  const bool norm = draft.rng().chance(50);
  const int blockOps = kGatedOps + (norm ? 1 : 0);
  TensorId x = draft.input(m.tokens, m.hidden);
  do {
    x = addGatedMlp(draft, m, x, norm);
  } while (draft.left() >= blockOps);
  draft.fill(x);
}

void buildMoe(Draft& draft) {
  Mixture m;
  m.mlp = drawMlp(draft);
  m.router = draft.edge({128, 128, 256});
  m.fanIn = draft.rng().pick({2, 2, 3, 4});
  m.balanced = draft.rng().chance(50);
  const auto drawnExperts = draft.rng().pick({4, 8, 16});

  // The last mixture has as many experts as there is room for.
  TensorId x = draft.input(m.mlp.tokens, m.mlp.hidden);
  do {
    int experts = drawnExperts;
    while (experts > 2 && draft.left() < m.blockOps(experts)) --experts;
    x = addMixture(draft, m, experts, x);
  } while (draft.left() >= m.blockOps(2));
  draft.fill(x);
}

}  // namespace tilebeam::generator
