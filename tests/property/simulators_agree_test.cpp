// The collapsed simulator against the literal one, the authority, on thousands of random steps of
// every kind: latency within 1e-9 relative, the other sums too, the peak exactly.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "support/cases.h"
#include "support/evaluations.h"
#include "support/random_steps.h"
#include "tilebeam/step_simulator.h"

namespace tilebeam::test {
namespace {

// What kinds of step the random ones were, so that the test can show it has met them all.
struct Coverage {
  std::map<std::string, int> seen;

  void note(const Subgraph& s, const Granularity& g) {
    const Problem& p = s.problem();
    std::size_t matMuls = 0;
    for (const OpId o : s.ops()) matMuls += p.op(o).isMatMul() ? 1U : 0U;
    if (matMuls == 0) ++seen["pointwise only"];
    if (matMuls > s.roots().size()) ++seen["nested MatMul"];
    if (s.roots().size() > 1) ++seen["several roots"];
    for (const OpId o : s.roots()) {
      if (p.reduction(o) != s.maxRootReduction()) ++seen["roots with different K"];
    }
    if (s.sinks().size() > 1) ++seen["several sinks"];
    if (s.gridWidth() % g.width != 0 || s.gridHeight() % g.height != 0) ++seen["clipped tiles"];
    if (s.maxRootReduction() > 0 && s.maxRootReduction() % g.depth != 0) ++seen["clipped k-step"];
    if (s.prologueWidth(0) > 1) ++seen["LHS prologue"];
    if (s.prologueHeight(0) > 1) ++seen["RHS prologue"];
  }
};

Traversal randomOrder(const Subgraph& s, const Granularity& g, Random& random) {
  const std::int64_t columns = (s.gridWidth() - 1) / g.width + 1;
  const std::int64_t rows = (s.gridHeight() - 1) / g.height + 1;
  Traversal traversal{TraversalKind::kExplicit, tileOrder(TraversalKind::kRaster, columns, rows)};
  for (std::size_t i = traversal.order.size(); i-- > 1;) {
    const auto j = static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(i)));
    std::swap(traversal.order[i], traversal.order[j]);
  }
  return traversal;
}

void expectSameFromEveryCorner(const Subgraph& subgraph, const CollapsedSimulator& collapsed,
                               const Granularity& g, TraversalKind kind, const StepContext& context,
                               DepthReading depth) {
  const std::int64_t columns = (subgraph.gridWidth() - 1) / g.width + 1;
  const std::int64_t rows = (subgraph.gridHeight() - 1) / g.height + 1;
  for (const StartCorner start : {StartCorner{true, false}, {false, true}, {true, true}}) {
    SCOPED_TRACE(std::string("from the last") + (start.lastRow ? " row" : "") +
                 (start.lastColumn ? " column" : ""));
    const Traversal order{TraversalKind::kExplicit, tileOrderFrom(start, kind, columns, rows)};
    expectSame(collapsed.account(g, kind, start),
               simulateLiteral(subgraph, g, order, context, depth));
  }
}

TEST(SimulatorsAgree, OnRandomSteps) {
  Random random(20261129);
  Coverage coverage;
  int steps = 0;
  for (int i = 0; i < cases(6000) && !HasFailure(); ++i) {
    const Problem problem = randomStepProblem(random);
    const Subgraph subgraph(problem, allOps(problem));
    if (subgraph.violation()) continue;
    const StepContext context = randomContext(subgraph, random);
    const DepthReading depth = random.chance(50) ? DepthReading::kNative : DepthReading::kFull;
    const CollapsedSimulator collapsed(subgraph, context, depth);
    for (int round = 0; round < 3; ++round) {
      const Granularity g = randomGranularity(subgraph, random);
      coverage.note(subgraph, g);
      for (const TraversalKind kind : kNamedTraversals) {
        SCOPED_TRACE("problem " + std::to_string(i) + ", granularity " + std::to_string(g.width) +
                     " " + std::to_string(g.height) + " " + std::to_string(g.depth) +
                     ", traversal " + std::to_string(static_cast<int>(kind)));
        const StepAccount expected = simulateLiteral(subgraph, g, {kind, {}}, context, depth);
        expectSame(collapsed.account(g, kind), expected);
        expectSame(collapsed.accountByWalk(g, kind), expected);
        const std::int64_t least = collapsed.leastPeak(g, kind);
        EXPECT_LE(least, expected.cost.peakFastMemory);
        EXPECT_LE(collapsed.peakFloor(), expected.cost.peakFastMemory);
        if (collapsed.peakFloor() == expected.cost.peakFastMemory) {
          ++coverage.seen["peak at its floor"];
        }
        if (least > 0) ++coverage.seen["least peak"];
        if (least == expected.cost.peakFastMemory) ++coverage.seen["least peak exact"];
        expectSameFromEveryCorner(subgraph, collapsed, g, kind, context, depth);
        ++steps;
      }
      const Traversal shuffled = randomOrder(subgraph, g, random);
      SCOPED_TRACE("problem " + std::to_string(i) + ", a random order");
      expectSame(collapsed.account(g, shuffled),
                 simulateLiteral(subgraph, g, shuffled, context, depth));
    }
  }
  EXPECT_GT(steps, cases(20000));
  for (const char* kind :
       {"pointwise only", "nested MatMul", "several roots", "roots with different K",
        "several sinks", "clipped tiles", "clipped k-step", "LHS prologue", "RHS prologue",
        "least peak", "least peak exact", "peak at its floor"}) {
    EXPECT_GT(coverage.seen[kind], cases(500)) << kind;
  }
}

}  // namespace
}  // namespace tilebeam::test
