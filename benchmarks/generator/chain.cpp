// Long chains of MatMul and Pointwise whose width keeps changing: where fusing along the chain,
// nesting MatMuls and retaining tensors compete.
#include "benchmarks/generator/structures.h"

namespace tilebeam::generator {
namespace {

class Chain {
 public:
  explicit Chain(Draft& draft) : draft_(draft), matMulPercent_(draft.rng().pick({35, 50, 65, 90})) {
    rows_ = draft.edge({128, 256, 512, 1024, 2048});
    for (int i = 0; i < 3; ++i) columns_.push_back(draft.edge({128, 256, 512, 1024, 2048}));
    // Strands have nothing in common: parts of the problem that are independent of each other.
    const auto strands = draft.left() < 12 ? 1 : draft.rng().pick({1, 1, 2, 3});
    for (int i = 0; i < strands; ++i) ends_.push_back(draft.input(rows_, columns_[0]));
  }

  void build() {
    for (std::size_t i = 0; !draft_.full(); ++i) extend(ends_[i % ends_.size()]);
  }

 private:
  void extend(TensorId& end) {
    if (!draft_.rng().chance(matMulPercent_)) {
      end = draft_.activate(end);
    } else if (draft_.rng().chance(10)) {
      end = draft_.projectLeft(rows_, end);
    } else {
      end = draft_.project(end, draft_.rng().pick(columns_));
    }
  }

  Draft& draft_;
  int matMulPercent_;
  std::int64_t rows_ = 0;
  std::vector<std::int64_t> columns_;
  std::vector<TensorId> ends_;
};

}  // namespace

void buildChain(Draft& draft) { Chain(draft).build(); }

}  // namespace tilebeam::generator
