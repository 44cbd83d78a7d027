#include "engine/plan_windows.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>

#include "engine/limits.h"

namespace tilebeam {
namespace {

std::vector<std::uint8_t> opsInSeveralSteps(const Problem& problem, const Plan& plan) {
  std::vector<std::uint8_t> uses(problem.opCount(), 0);
  for (const PlannedStep& step : plan.steps) {
    for (const OpId o : step.ops) {
      if (uses[o.index()] < 2) ++uses[o.index()];
    }
  }
  for (std::uint8_t& use : uses) use = use > 1 ? 1 : 0;
  return uses;
}

// Grows a window step by step.
class WindowCutter {
 public:
  WindowCutter(const Problem& problem, const Plan& plan)
      : graph_(problem.graph()), plan_(plan), remade_(opsInSeveralSteps(problem, plan)) {}

  std::vector<PlanWindow> cut(std::size_t ops, double shift) {
    std::size_t target =
        std::max<std::size_t>(1, static_cast<std::size_t>(shift * static_cast<double>(ops)));
    for (std::size_t i = 0; i < plan_.steps.size();) {
      // Steps that carry tensors from one to the next stay together.
      const std::size_t end = endOfChain(plan_, i);
      if (chainIsRemade(i, end)) {
        close(i);
        first_ = end;
      } else if (!fits(i, end)) {
        close(i);
        reset();
        if (!fits(i, end)) first_ = end;
      }
      if (first_ < end) include(i, end);
      i = end;
      if (count_ >= target) {
        close(i);
        target = ops;
      }
    }
    close(plan_.steps.size());
    return std::move(windows_);
  }

 private:
  template <class Visit>
  void eachOp(std::size_t begin, std::size_t end, const Visit& visit) const {
    for (std::size_t i = begin; i < end; ++i) {
      std::for_each(plan_.steps[i].ops.begin(), plan_.steps[i].ops.end(), visit);
    }
  }

  bool chainIsRemade(std::size_t begin, std::size_t end) const {
    bool remade = false;
    eachOp(begin, end, [&](OpId o) { remade = remade || remade_[o.index()] != 0; });
    return remade;
  }

  // The positions of the window and the chain together span what a state's window holds.
  bool fits(std::size_t begin, std::size_t end) const {
    Position low = low_;
    Position high = high_;
    eachOp(begin, end, [&](OpId o) {
      low = std::min(low, graph_.position(o));
      high = std::max(high, graph_.position(o));
    });
    return high - low < kMaxWindow;
  }

  void include(std::size_t begin, std::size_t end) {
    eachOp(begin, end, [&](OpId o) {
      low_ = std::min(low_, graph_.position(o));
      high_ = std::max(high_, graph_.position(o));
      ++count_;
    });
  }

  void reset() {
    count_ = 0;
    low_ = kFar;
    high_ = -1;
  }

  void close(std::size_t end) {
    if (count_ > 1) windows_.push_back({first_, end});
    first_ = end;
    reset();
  }

  static constexpr Position kFar = std::numeric_limits<Position>::max();
  const Graph& graph_;
  const Plan& plan_;
  std::vector<std::uint8_t> remade_;
  std::vector<PlanWindow> windows_;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
  Position low_ = kFar;
  Position high_ = -1;
};

}  // namespace

std::size_t endOfChain(const Plan& plan, std::size_t i) {
  while (!plan.steps[i].retained.empty() && i + 1 < plan.steps.size()) ++i;
  return i + 1;
}

std::vector<Position> positionsOf(const Problem& problem, const Plan& plan,
                                  const PlanWindow& window) {
  std::vector<Position> positions;
  for (std::size_t i = window.first; i < window.last; ++i) {
    for (const OpId o : plan.steps[i].ops) positions.push_back(problem.graph().position(o));
  }
  return positions;
}

std::vector<PlanWindow> cutWindows(const Problem& problem, const Plan& plan, std::size_t ops,
                                   double shift) {
  return WindowCutter(problem, plan).cut(ops, shift);
}

std::optional<Plan> replaceWindows(const Plan& plan, const std::vector<PlanWindow>& windows,
                                   std::vector<std::vector<PlannedStep>> bettered) {
  if (std::all_of(bettered.begin(), bettered.end(), [](const auto& s) { return s.empty(); })) {
    return std::nullopt;
  }
  Plan improved;
  std::size_t next = 0;
  const auto copyUntil = [&](std::size_t end) {
    for (; next < end; ++next) improved.steps.push_back(plan.steps[next]);
  };
  for (std::size_t i = 0; i < windows.size(); ++i) {
    if (bettered[i].empty()) continue;
    copyUntil(windows[i].first);
    std::move(bettered[i].begin(), bettered[i].end(), std::back_inserter(improved.steps));
    next = windows[i].last;
  }
  copyUntil(plan.steps.size());
  improved.latency = latencyOf(improved.steps);
  return improved;
}

}  // namespace tilebeam
