#include "engine/connected_sets.h"

#include <algorithm>
#include <bit>

namespace tilebeam {
namespace {

class SetWalk {
 public:
  SetWalk(const Problem& problem, std::size_t limit, const std::function<bool()>& stop)
      : problem_(problem), limit_(limit), stop_(stop) {
    neighbours_.assign(problem.opCount(), 0);
    cuts_.assign(problem.opCount(), 0);
    for (std::size_t i = 0; i < problem.tensorCount(); ++i) addTensor(TensorId::fromIndex(i));
  }

  std::optional<std::vector<OpMask>> run() {
    OpMask done = 0;
    for (std::size_t o = 0; o < problem_.opCount() && !full_; ++o) {
      const OpMask seed = OpMask{1} << o;
      done |= seed;
      grow(seed, done | cuts_[o], neighbours_[o] & ~done & ~cuts_[o]);
    }
    if (full_) return std::nullopt;
    return std::move(sets_);
  }

 private:
  void addTensor(TensorId t) {
    const OpId producer = problem_.graph().producer(t);
    OpMask touching = producer.valid() ? OpMask{1} << producer.index() : 0;
    for (const OpId o : problem_.graph().consumers(t)) {
      touching |= OpMask{1} << o.index();
      if (!producer.valid() || !cannotShare(t, producer, o)) continue;
      cuts_[o.index()] |= OpMask{1} << producer.index();
      cuts_[producer.index()] |= OpMask{1} << o.index();
    }
    for (OpMask rest = touching; rest != 0; rest &= rest - 1) {
      neighbours_[static_cast<std::size_t>(std::countr_zero(rest))] |= touching;
    }
  }

  // A Pointwise cannot make an operand whose reduction exceeds native (docs/bounds.md, lemma 1).
  bool cannotShare(TensorId t, OpId producer, OpId consumer) const {
    const Op& op = problem_.op(consumer);
    if (problem_.op(producer).isMatMul() || !op.isMatMul()) return false;
    const Hardware& hardware = problem_.hardware();
    const std::int64_t reduction = problem_.reduction(consumer);
    if (reduction <= hardware.nativeDepth()) return false;
    return (op.inputs[0] == t && reduction > hardware.nativeWidth) ||
           (op.inputs[1] == t && reduction > hardware.nativeHeight);
  }

  // Each connected set once: of the ops that may join (`open`), those passed over are barred.
  void grow(OpMask set, OpMask barred, OpMask open) {
    constexpr std::size_t kBetweenQuestions = 1024;
    if (++visited_ > limit_ || (visited_ % kBetweenQuestions == 0 && stop_())) {
      full_ = true;
      return;
    }
    if (oneShape(set)) sets_.push_back(set);
    while (open != 0 && !full_) {
      const auto o = static_cast<std::size_t>(std::countr_zero(open));
      open &= open - 1;
      barred |= OpMask{1} << o;
      const OpMask further = barred | cuts_[o];
      grow(set | OpMask{1} << o, further, (open | neighbours_[o]) & ~further & ~set);
    }
  }

  bool oneShape(OpMask set) const {
    const Tensor* shape = nullptr;
    for (OpMask rest = set; rest != 0; rest &= rest - 1) {
      const OpId o = OpId::fromIndex(static_cast<std::size_t>(std::countr_zero(rest)));
      const TensorId t = problem_.op(o).output;
      const auto takers = problem_.graph().consumers(t);
      const bool sink = std::none_of(takers.begin(), takers.end(),
                                     [&](OpId c) { return (set >> c.index() & 1U) != 0; });
      if (!sink) continue;
      if (shape != nullptr && !(*shape == problem_.tensor(t))) return false;
      shape = &problem_.tensor(t);
    }
    return true;
  }

  const Problem& problem_;
  std::size_t limit_;
  const std::function<bool()>& stop_;
  std::size_t visited_ = 0;
  bool full_ = false;
  std::vector<OpMask> neighbours_;
  std::vector<OpMask> cuts_;
  std::vector<OpMask> sets_;
};

}  // namespace

std::optional<std::vector<OpMask>> connectedSets(const Problem& problem, std::size_t limit,
                                                 const std::function<bool()>& stop) {
  if (problem.opCount() > kMaxMaskOps) return std::nullopt;
  return SetWalk(problem, limit, stop).run();
}

}  // namespace tilebeam
