// Runs of a plan's steps that can be replaced without a look at the rest.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "engine/candidate_pool.h"
#include "engine/plan.h"
#include "tilebeam/problem.h"

namespace tilebeam {

// Steps [first, last) of a plan. No tensor is retained across its ends, and no op of it stands in
// any other step, so it can be replaced without a look at the rest.
struct PlanWindow {
  std::size_t first = 0;
  std::size_t last = 0;
};

// Behind the steps that hand tensors on from the `i`-th to the next, and so on.
std::size_t endOfChain(const Plan& plan, std::size_t i);

// Of the window's ops, in the order of steps.
std::vector<Position> positionsOf(const Problem& problem, const Plan& plan,
                                  const PlanWindow& window);

// Cuts the plan in disjoint windows of about `ops` ops, the first of about `ops * shift`. Stretches
// that cannot be replaced on their own are left out.
std::vector<PlanWindow> cutWindows(const Problem& problem, const Plan& plan, std::size_t ops,
                                   double shift);

// The plan with other steps for some windows, empty for those to be left; nothing if all are.
std::optional<Plan> replaceWindows(const Plan& plan, const std::vector<PlanWindow>& windows,
                                   std::vector<std::vector<PlannedStep>> bettered);

}  // namespace tilebeam
