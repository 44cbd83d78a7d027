#include "engine/plan_of_way.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "simulator/ceil_div.h"
#include "tilebeam/step_bound.h"

namespace tilebeam {
namespace {

// All orders of so many tiles are tried.
constexpr std::int64_t kMostTilesForAllOrders = 6;

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

  // Takes over `step`'s best form and order if it finds a better one.
  void improve(PlannedStep& step) {
    step_ = &step;
    tryOrder(TraversalKind::kRaster, {});
    if (columns_ > kMostTilesForCorners / rows_) {
      tryOrder(TraversalKind::kRowSnake, {});
      tryOrder(TraversalKind::kColumnSnake, {});
    } else if (columns_ * rows_ <= kMostTilesForAllOrders) {
      std::vector<std::int64_t> order(static_cast<std::size_t>(columns_ * rows_));
      std::iota(order.begin(), order.end(), 0);
      while (std::next_permutation(order.begin(), order.end())) {
        tryOrder(TraversalKind::kExplicit, order);
      }
    } else {
      tryCorners();
    }
  }

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

  void tryOrder(TraversalKind kind, const std::vector<std::int64_t>& order) {
    const StepCost cost = simulator_.account(granularity_, Traversal{kind, order}).cost;
    if (cost.peakFastMemory > capacity_ || cost.latency >= step_->best.latency * kWorthwhile) {
      return;
    }
    step_->best = {cost.latency, granularity_, kind, {}};
    step_->order = order;
  }

  const CollapsedSimulator simulator_;
  std::int64_t capacity_;
  Granularity granularity_;
  std::int64_t columns_;
  std::int64_t rows_;
  PlannedStep* step_ = nullptr;
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
      OrderSearch(subgraphs[i], context, depth, least.granularity).improve(step);
    }
    if (!step.best.feasible()) return std::nullopt;
    plan.latency += step.best.latency;
    plan.steps.push_back(std::move(step));
    context.resident = retained[i];
  }
  return plan;
}

}  // namespace tilebeam
