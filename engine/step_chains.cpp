#include "engine/step_chains.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

#include "engine/limits.h"

namespace tilebeam {
namespace {

// Which step of a chain runs an op. Its ops stand within kMaxWindow positions, as a window's do.
class StepsByOp {
 public:
  StepsByOp(const Graph& graph, const ChainSketch& sketch) : graph_(graph) {
    first_ = graph.position(sketch[0].ops->front());
    for (std::size_t i = 1; i < sketch.size(); ++i) {
      first_ = std::min(first_, graph.position(sketch[i].ops->front()));
    }
    steps_.fill(kNone);
    for (std::size_t i = 0; i < sketch.size(); ++i) {
      for (const OpId o : *sketch[i].ops) {
        steps_[static_cast<std::size_t>(graph.position(o) - first_)] =
            static_cast<std::uint16_t>(i);
      }
    }
  }

  // kNone if none does.
  std::size_t of(OpId o) const {
    if (!o.valid()) return kNone;
    const Position offset = graph_.position(o) - first_;
    return offset < 0 || offset >= kMaxWindow ? kNone : steps_[static_cast<std::size_t>(offset)];
  }
  bool isLater(OpId o, std::size_t step) const {
    const std::size_t own = of(o);
    return own != kNone && own > step;
  }

  static constexpr std::uint16_t kNone = 0xffff;

 private:
  const Graph& graph_;
  Position first_ = 0;
  std::array<std::uint16_t, kMaxWindow> steps_;
};

}  // namespace

BestStep StepChains::score(const std::vector<OpId>& ops, std::span<const TensorId> resident,
                           std::span<const TensorId> retained) const {
  if (ops.size() > kMaxCandidateOps || stop_()) return {};
  if (graph_.position(ops.back()) - graph_.position(ops.front()) >= kMaxWindow) return {};
  OpBits remade = 0;
  if (rules_.judge(ops, remade) != SetVerdict::kFeasible) return {};
  ++scorer_.counters().local().candidates;
  return scorer_.score(ops, scorer_.keyOf(ops, resident, retained));
}

bool StepChains::rescore(StepChain& chain, std::size_t step) const {
  PlannedStep& s = chain[step];
  std::span<const TensorId> resident;
  if (step > 0) resident = chain[step - 1].retained;
  s.best = score(s.ops, resident, s.retained);
  s.order.clear();
  return s.best.feasible();
}

bool StepChains::score(ChainSketch& sketch) const {
  for (std::size_t i = 0; i < sketch.size(); ++i) {
    SketchedStep& s = sketch[i];
    if (s.known != nullptr) continue;
    std::span<const TensorId> resident;
    if (i > 0) resident = *sketch[i - 1].retained;
    s.best = score(*s.ops, resident, *s.retained);
    if (!s.best.feasible()) return false;
  }
  return true;
}

bool StepChains::isHandedOn(TensorId t, const std::vector<OpId>& from,
                            const std::vector<OpId>& to) const {
  bool taken = false;
  for (const OpId o : graph_.consumers(t)) {
    if (contains(to, o)) {
      taken = true;
    } else if (!contains(from, o)) {
      return false;
    }
  }
  return taken;
}

std::vector<TensorId> StepChains::handedOn(const std::vector<OpId>& from,
                                           const std::vector<OpId>& to) const {
  std::vector<TensorId> found;
  for (const OpId o : from) {
    const TensorId t = scorer_.problem().op(o).output;
    if (isHandedOn(t, from, to)) found.push_back(t);
  }
  return found;
}

bool StepChains::holdsTogether(const ChainSketch& sketch) const {
  const StepsByOp steps(graph_, sketch);
  for (std::size_t i = 0; i < sketch.size(); ++i) {
    for (const TensorId t : *sketch[i].retained) {
      if (steps.of(graph_.producer(t)) != i) return false;
      bool taken = false;
      for (const OpId o : graph_.consumers(t)) {
        const std::size_t taker = steps.of(o);
        if (taker != i && taker != i + 1) return false;
        taken = taken || taker == i + 1;
      }
      if (!taken) return false;
    }
    for (const OpId o : *sketch[i].ops) {
      for (const TensorId t : scorer_.problem().op(o).inputs) {
        if (steps.isLater(graph_.producer(t), i)) return false;
      }
    }
  }
  return true;
}

std::vector<OpId> StepChains::united(const std::vector<OpId>& a, const std::vector<OpId>& b) const {
  std::vector<OpId> all;
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all),
             [this](OpId x, OpId y) { return graph_.position(x) < graph_.position(y); });
  return all;
}

}  // namespace tilebeam
