// Which tensors each step stores (cost model, section 6).
#include <algorithm>

#include "tilebeam/schedule_evaluator.h"

namespace tilebeam {
namespace {

// What the next step that touches a tensor does with it.
enum class NextTouch : std::uint8_t { kNone, kTaken, kProduced };

// For each step, the internal tensors that the next step to touch them takes as external ones. That
// step finds them resident only if they are retained, which the caller sorts out.
std::vector<std::vector<TensorId>> takenLater(const Problem& problem,
                                              const std::vector<Subgraph>& subgraphs) {
  std::vector<NextTouch> next(problem.tensorCount(), NextTouch::kNone);
  std::vector<std::vector<TensorId>> taken(subgraphs.size());
  for (std::size_t i = subgraphs.size(); i-- > 0;) {
    const Subgraph& s = subgraphs[i];
    for (const TensorId t : s.produced()) {
      if (!s.isSinkOutput(t) && next[t.index()] == NextTouch::kTaken) taken[i].push_back(t);
      next[t.index()] = NextTouch::kProduced;
    }
    for (const TensorId t : s.external()) next[t.index()] = NextTouch::kTaken;
  }
  return taken;
}

}  // namespace

std::vector<std::vector<TensorId>> storedTensors(
    const Problem& problem, const std::vector<Subgraph>& subgraphs,
    const std::vector<std::vector<TensorId>>& retained) {
  std::vector<std::vector<TensorId>> stored = takenLater(problem, subgraphs);
  std::vector<bool> inSlowMemory(problem.tensorCount(), false);
  for (std::size_t i = 0; i < subgraphs.size(); ++i) {
    const auto isRetained = [&](TensorId t) {
      return std::find(retained[i].begin(), retained[i].end(), t) != retained[i].end();
    };
    std::erase_if(stored[i], [&](TensorId t) { return inSlowMemory[t.index()] || isRetained(t); });
    for (const OpId o : subgraphs[i].sinks()) {
      const TensorId t = problem.op(o).output;
      if (!isRetained(t)) stored[i].push_back(t);
    }
    std::sort(stored[i].begin(), stored[i].end());
    for (const TensorId t : stored[i]) inSlowMemory[t.index()] = true;
  }
  return stored;
}

}  // namespace tilebeam
