// Random graphs: ops of random type on recent tensors of shapes that match.
#include <algorithm>
#include <utility>

#include "benchmarks/generator/structures.h"

namespace tilebeam::generator {
namespace {

struct Mix {
  int matMulPercent = 50;
  int reusePercent = 50;  // how often a second operand is an existing tensor, if one matches
  std::size_t reach = 8;  // how many tensors back an op looks
  bool repeats = false;   // whether a Pointwise may take a tensor twice
};

class RandomGraph {
 public:
  RandomGraph(Draft& draft, std::vector<std::int64_t> edges, const Mix& mix)
      : draft_(draft),
        edges_(std::move(edges)),
        mix_(mix),
        shelves_(edges_.size() * edges_.size()) {
    addSource();
  }

  void build() {
    while (!draft_.full()) {
      // New roots now and then, so that the graph has several sources.
      if (draft_.rng().chance(4)) addSource();
      const std::size_t base = drawBase();
      draft_.rng().chance(mix_.matMulPercent) ? addMatMul(base) : addPointwise(base);
    }
    draft_.shuffleOps();
  }

 private:
  // A tensor of edges_[rows] rows and edges_[columns] columns.
  struct Node {
    TensorId tensor;
    std::size_t rows = 0;
    std::size_t columns = 0;
    bool used = false;
  };

  std::size_t drawEdge() { return draft_.rng().below(edges_.size()); }

  void addSource() {
    const std::size_t rows = drawEdge();
    const std::size_t columns = drawEdge();
    newInput(rows, columns);
  }

  std::size_t keep(TensorId tensor, std::size_t rows, std::size_t columns) {
    nodes_.push_back({tensor, rows, columns, false});
    shelf(rows, columns).push_back(nodes_.size() - 1);
    return nodes_.size() - 1;
  }

  std::size_t newInput(std::size_t rows, std::size_t columns) {
    return keep(draft_.input(edges_[rows], edges_[columns]), rows, columns);
  }

  std::vector<std::size_t>& shelf(std::size_t rows, std::size_t columns) {
    return shelves_[rows * edges_.size() + columns];
  }

  std::size_t fromEnd(std::size_t count) {
    return count - 1 - draft_.rng().below(std::min(count, mix_.reach));
  }

  // A recent tensor, rather one that nothing has used yet.
  std::size_t drawBase() {
    std::size_t node = fromEnd(nodes_.size());
    for (int tries = 0; tries < 2 && nodes_[node].used; ++tries) node = fromEnd(nodes_.size());
    return node;
  }

  // A recent tensor of that shape, or a new input.
  std::size_t drawOperand(std::size_t rows, std::size_t columns) {
    const auto& candidates = shelf(rows, columns);
    if (candidates.empty() || !draft_.rng().chance(mix_.reusePercent)) {
      return newInput(rows, columns);
    }
    return candidates[fromEnd(candidates.size())];
  }

  TensorId use(std::size_t node) {
    nodes_[node].used = true;
    return nodes_[node].tensor;
  }

  void addMatMul(std::size_t base) {
    const bool baseIsLhs = draft_.rng().chance(70);
    const std::size_t other = drawEdge();
    const std::size_t lhs = baseIsLhs ? base : drawOperand(other, nodes_[base].rows);
    const std::size_t rhs = baseIsLhs ? drawOperand(nodes_[base].columns, other) : base;
    const std::size_t rows = nodes_[lhs].rows;
    const std::size_t columns = nodes_[rhs].columns;
    const bool weights = draft_.rng().chance(60);
    const TensorId left = use(lhs);
    const TensorId right = use(rhs);
    keep(weights ? draft_.project(left, right) : draft_.multiply(left, right), rows, columns);
  }

  void addPointwise(std::size_t base) {
    const std::size_t rows = nodes_[base].rows;
    const std::size_t columns = nodes_[base].columns;
    std::vector<TensorId> inputs{use(base)};
    const auto others = draft_.rng().pick({0, 0, 1, 1, 1, 2, 3});
    for (int i = 0; i < others; ++i) {
      const TensorId other = use(drawOperand(rows, columns));
      const bool repeated = std::find(inputs.begin(), inputs.end(), other) != inputs.end();
      if (!repeated || mix_.repeats) inputs.push_back(other);
    }
    keep(inputs.size() == 1 ? draft_.activate(inputs[0]) : draft_.add(inputs), rows, columns);
  }

  Draft& draft_;
  std::vector<std::int64_t> edges_;
  Mix mix_;
  std::vector<Node> nodes_;
  std::vector<std::vector<std::size_t>> shelves_;  // nodes by shape
};

}  // namespace

void buildRandom(Draft& draft) {
  std::vector<std::int64_t> edges;
  const auto count = draft.rng().between(3, 5);
  for (int i = 0; i < count; ++i) edges.push_back(draft.edge({128, 256, 256, 512, 512, 1024}));
  Mix mix;
  mix.matMulPercent = draft.rng().pick({25, 40, 55, 70});
  mix.reusePercent = draft.rng().pick({50, 70, 90});
  mix.reach = draft.rng().pick<std::size_t>({4, 8, 16, 32});
  RandomGraph(draft, std::move(edges), mix).build();
}

void buildRandomTiny(Draft& draft) {
  std::vector<std::int64_t> edges;
  const auto count = draft.rng().between(1, 4);
  for (int i = 0; i < count; ++i) {
    edges.push_back(draft.rng().chance(60) ? draft.rng().between(1, 9)
                                           : draft.rng().between(1, 24));
  }
  Mix mix;
  mix.matMulPercent = draft.rng().pick({35, 50, 65});
  mix.reusePercent = draft.rng().pick({40, 70, 90});
  mix.reach = draft.rng().pick<std::size_t>({2, 3, 6});
  mix.repeats = true;
  RandomGraph(draft, std::move(edges), mix).build();
}

}  // namespace tilebeam::generator
