#include "engine/plan_of_way.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "simulator/ceil_div.h"
#include "tilebeam/step_bound.h"

namespace tilebeam {
namespace {

// Of so many tiles, orders that differ from the best in one stretch that is gone through backwards.
constexpr std::int64_t kMostTilesForReversals = 32;

// Of so many, all rasters and snakes, from all corners.
constexpr std::int64_t kMostTilesForLists = 4096;

// The best order of the tiles at one granularity.
class OrderSearch {
 public:
  OrderSearch(const Subgraph& subgraph, const StepContext& context, DepthReading depth,
              const Granularity& g)
      : simulator_(subgraph, context, depth),
        capacity_(subgraph.problem().hardware().fastMemoryCapacity),
        granularity_(g),
        columns_(ceilDiv(subgraph.gridWidth(), g.width)),
        rows_(ceilDiv(subgraph.gridHeight(), g.height)) {}

  // `known`: an order to try first, or empty.
  void run(const std::vector<std::int64_t>& known) {
    if (!known.empty()) tryOrder(TraversalKind::kExplicit, known);
    tryOrder(TraversalKind::kRaster, {});
    if (columns_ > kMostTilesForLists / rows_) {
      tryOrder(TraversalKind::kRowSnake, {});
      tryOrder(TraversalKind::kColumnSnake, {});
    } else {
      tryCorners();
      if (columns_ * rows_ <= kMostTilesForReversals) reverseStretches();
    }
  }

  // Infinite latency if it fits in no order.
  const BestStep& best() const { return best_; }
  const std::vector<std::int64_t>& order() const { return order_; }

 private:
  void tryCorners() {
    for (const bool lastRow : {false, true}) {
      for (const bool lastColumn : {false, true}) {
        const StartCorner start{lastRow, lastColumn};
        for (const auto kind :
             {TraversalKind::kRaster, TraversalKind::kRowSnake, TraversalKind::kColumnSnake}) {
          tryOrder(TraversalKind::kExplicit, tileOrderFrom(start, kind, columns_, rows_));
        }
        // Raster column by column: that of the transposed grid.
        auto order = tileOrderFrom({lastColumn, lastRow}, TraversalKind::kRaster, rows_, columns_);
        for (std::int64_t& tile : order) tile = tile % rows_ * columns_ + tile / rows_;
        tryOrder(TraversalKind::kExplicit, order);
      }
    }
  }

  void reverseStretches() {
    if (order_.empty()) order_ = tileOrder(best_.traversal, columns_, rows_);
    for (bool better = best_.feasible(); better;) {
      const double before = best_.latency;
      const std::vector<std::int64_t> base = order_;
      const auto tiles = static_cast<std::ptrdiff_t>(base.size());
      for (std::ptrdiff_t from = 0; from < tiles; ++from) {
        for (std::ptrdiff_t to = from + 2; to <= tiles; ++to) {
          std::vector<std::int64_t> order = base;
          std::reverse(order.begin() + from, order.begin() + to);
          tryOrder(TraversalKind::kExplicit, order);
        }
      }
      better = best_.latency < before;
    }
  }

  void tryOrder(TraversalKind kind, const std::vector<std::int64_t>& order) {
    const StepCost cost = simulator_.account(granularity_, Traversal{kind, order}).cost;
    if (cost.peakFastMemory > capacity_ || cost.latency >= best_.latency * kWorthwhile) {
      return;
    }
    best_ = {cost.latency, granularity_, kind, {}};
    order_ = order;
  }

  const CollapsedSimulator simulator_;
  std::int64_t capacity_;
  Granularity granularity_;
  std::int64_t columns_;
  std::int64_t rows_;
  BestStep best_;
  std::vector<std::int64_t> order_;
};

}  // namespace

std::optional<Plan> planOfWay(const Problem& problem, DepthReading depth,
                              const std::vector<ExactStep>& way,
                              const std::function<bool()>& stop) {
  std::vector<Subgraph> subgraphs;
  std::vector<std::vector<TensorId>> retained;
  for (const ExactStep& step : way) {
    subgraphs.emplace_back(problem, step.ops);
    retained.push_back(step.retained);
  }
  const auto stored = storedTensors(problem, subgraphs, retained);
  StepOptimiser optimiser;
  Plan plan;
  StepContext context;
  for (std::size_t i = 0; i < way.size(); ++i) {
    if (stop()) return std::nullopt;
    context.stored = stored[i];
    context.retained = retained[i];
    const BestStep best = optimiser.optimise(subgraphs[i], context, depth);
    PlannedStep step = best.feasible() ? plannedStep(problem, way[i].ops, retained[i], best)
                                       : PlannedStep{way[i].ops, retained[i], best, {}};
    const LeastStep least = leastStep(subgraphs[i], context, depth, 0, stop);
    if (least.granularity.width > 0 && least.latency < step.best.latency * kWorthwhile) {
      OrderSearch orders(subgraphs[i], context, depth, least.granularity);
      orders.run(least.order);
      if (orders.best().latency < step.best.latency) {
        step.best = orders.best();
        step.order = orders.order();
      }
    }
    if (!step.best.feasible()) return std::nullopt;
    plan.steps.push_back(std::move(step));
    context.resident = retained[i];
  }
  const Schedule schedule = scheduleOf(plan);
  const Evaluation evaluation =
      ScheduleEvaluator(problem, {depth, SimulatorChoice::kFastest}).evaluate(schedule);
  if (!evaluation.valid()) return std::nullopt;
  return planOf(schedule, stepLatencies(evaluation));
}

}  // namespace tilebeam
