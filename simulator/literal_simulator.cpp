// The literal simulator: the cost model's sections 4, 5 and 7, iteration by iteration. It is the
// authority that everything else is held against, so it shares no shortcut with the rest: each
// iteration walks the demands anew and compares actual rectangles.
#include <algorithm>
#include <compare>
#include <set>
#include <utility>

#include "tile_order.h"
#include "tilebeam/step_simulator.h"
#include "tilebeam/step_walk.h"

namespace tilebeam {
namespace {

struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  std::int64_t length() const { return end - begin; }
  friend auto operator<=>(const Range&, const Range&) = default;
};

enum class Strip : std::uint8_t { kLeft, kRight };

// A rectangle of a tensor.
struct Slice {
  TensorId tensor;
  Range rows;
  Range columns;

  std::int64_t area() const { return rows.length() * columns.length(); }
  friend auto operator<=>(const Slice&, const Slice&) = default;
};

std::int64_t ceilDiv(std::int64_t a, std::int64_t b) { return (a - 1) / b + 1; }

// What one iteration demands: the set of input slices, and the compute of what is made on the spot.
class Demands {
 public:
  Demands(const Subgraph& subgraph, const StepContext& context, DepthReading depth)
      : subgraph_(subgraph), problem_(subgraph.problem()), context_(context), depth_(depth) {}

  void begin() {
    slices_.clear();
    strips_.clear();
    runs_.clear();
    compute_ = 0;
  }

  // A root's work on the reduction range `t`.
  void root(OpId o, Range rows, Range columns, Range t) {
    const Op& op = problem_.op(o);
    const auto full = static_cast<double>(depth_ == DepthReading::kNative ? nativeDepth()
                                                                          : problem_.reduction(o));
    run(o, op.baseCost * static_cast<double>(t.length()) / full);
    strip({op.inputs[0], rows, t}, Strip::kLeft);
    strip({op.inputs[1], t, columns}, Strip::kRight);
  }

  // A Pointwise at tile position; what S produces among its inputs is at tile position too.
  void pointwise(OpId o, Range rows, Range columns) {
    const Op& op = problem_.op(o);
    run(o, op.baseCost);
    for (const TensorId t : op.inputs) {
      if (!subgraph_.produces(t)) slices_.insert({t, rows, columns});
    }
  }

  double compute() const { return compute_; }
  const std::vector<OpRun>& runs() const { return runs_; }
  const std::set<std::pair<Slice, Strip>>& strips() const { return strips_; }

  // The slices that are loaded or kept: none of a resident tensor, no part beside its whole.
  std::set<Slice> inputSlices() const {
    std::set<Slice> kept;
    for (const Slice& s : slices_) {
      const auto& resident = context_.resident;
      if (std::find(resident.begin(), resident.end(), s.tensor) != resident.end()) continue;
      const Slice whole = wholeOf(s.tensor);
      if (s == whole || !slices_.contains(whole)) kept.insert(s);
    }
    return kept;
  }

  Slice wholeOf(TensorId t) const {
    const Tensor& tensor = problem_.tensor(t);
    return {t, {0, tensor.height}, {0, tensor.width}};
  }

 private:
  void run(OpId o, double cost) {
    compute_ += cost;
    runs_.push_back({o, cost});
  }

  std::int64_t nativeDepth() const { return problem_.hardware().nativeDepth(); }

  // A strip is loaded if S does not produce it, else made on the spot, whole and once. A worklist
  // and no recursion: a prologue may be a chain of any length.
  void strip(const Slice& wanted, Strip kind) {
    pending_.emplace_back(wanted, kind);
    while (!pending_.empty()) {
      const auto demand = pending_.back();
      pending_.pop_back();
      if (!subgraph_.produces(demand.first.tensor)) {
        slices_.insert(demand.first);
      } else if (strips_.insert(demand).second) {
        make(demand.first, demand.second);
      }
    }
  }

  void make(const Slice& s, Strip kind) {
    const OpId o = problem_.graph().producer(s.tensor);
    const Op& op = problem_.op(o);
    if (op.isMatMul()) {
      run(o, matMulStripCost(o, s, kind));
      const Range reduction{0, problem_.reduction(o)};
      pending_.push_back({{op.inputs[0], s.rows, reduction}, Strip::kLeft});
      pending_.push_back({{op.inputs[1], reduction, s.columns}, Strip::kRight});
      return;
    }
    const Hardware& hardware = problem_.hardware();
    run(o, op.baseCost * static_cast<double>(ceilDiv(s.columns.length(), hardware.nativeWidth)) *
               static_cast<double>(ceilDiv(s.rows.length(), hardware.nativeHeight)));
    for (const TensorId t : op.inputs) pending_.push_back({{t, s.rows, s.columns}, kind});
  }

  double matMulStripCost(OpId o, const Slice& s, Strip kind) const {
    const Hardware& hardware = problem_.hardware();
    const auto nk = static_cast<double>(nativeDepth());
    const double depth =
        depth_ == DepthReading::kNative ? static_cast<double>(problem_.reduction(o)) / nk : 1.0;
    const double base = problem_.op(o).baseCost * depth;
    if (kind == Strip::kLeft) {
      return base * (static_cast<double>(s.columns.length()) / nk) *
             static_cast<double>(ceilDiv(s.rows.length(), hardware.nativeHeight));
    }
    return base * (static_cast<double>(s.rows.length()) / nk) *
           static_cast<double>(ceilDiv(s.columns.length(), hardware.nativeWidth));
  }

  const Subgraph& subgraph_;
  const Problem& problem_;
  const StepContext& context_;
  DepthReading depth_;
  std::set<Slice> slices_;
  std::set<std::pair<Slice, Strip>> strips_;
  std::vector<std::pair<Slice, Strip>> pending_;
  std::vector<OpRun> runs_;
  double compute_ = 0;
};

class LiteralSimulation {
 public:
  LiteralSimulation(const Subgraph& subgraph, const Granularity& granularity,
                    const StepContext& context, DepthReading depth,
                    const std::function<void(const Iteration&)>& observe)
      : subgraph_(subgraph),
        granularity_(granularity),
        context_(context),
        observe_(observe),
        demands_(subgraph, context, depth) {
    for (const TensorId t : context.resident) residentArea_ += subgraph.problem().tensor(t).area();
    for (const OpId o : subgraph.roots()) {
      const std::int64_t reduction = subgraph.problem().reduction(o);
      kSteps_ = std::max(kSteps_, ceilDiv(reduction, granularity.depth));
      if (granularity.depth < reduction) ++accumulators_;
    }
  }

  void tile(std::int64_t number, Range rows, Range columns) {
    tile_ = number;
    const std::int64_t area = rows.length() * columns.length();
    for (std::int64_t j = 0; j < kSteps_; ++j) iteration(rows, columns, area, j);
    finishedArea_ += area;
  }

  StepAccount account() const { return account_; }

 private:
  void iteration(Range rows, Range columns, std::int64_t area, std::int64_t j) {
    demands_.begin();
    for (const OpId o : subgraph_.roots()) {
      const std::int64_t reduction = subgraph_.problem().reduction(o);
      if (j * granularity_.depth >= reduction) continue;
      const Range t{j * granularity_.depth, std::min(reduction, (j + 1) * granularity_.depth)};
      demands_.root(o, rows, columns, t);
    }
    const bool last = j == kSteps_ - 1;
    if (last) {
      for (const OpId o : subgraph_.tileOps()) demands_.pointwise(o, rows, columns);
    }
    std::set<Slice> slices = demands_.inputSlices();
    const double memoryTime = addTime(slices, last ? area : 0);
    const std::int64_t workingSet = addPeak(slices, area, last);
    if (observe_) report(slices, j, memoryTime, workingSet, outputs(last) * area);
    previous_ = std::move(slices);
  }

  bool held(const Slice& s) const {
    return previous_.contains(s) || previous_.contains(demands_.wholeOf(s.tensor));
  }

  double addTime(const std::set<Slice>& slices, std::int64_t storedArea) {
    double loads = 0;
    for (const Slice& s : slices) {
      if (!held(s)) loads += static_cast<double>(s.area());
    }
    const double stores =
        static_cast<double>(storedArea) * static_cast<double>(context_.stored.size());
    const double memoryTime = (loads + stores) / subgraph_.problem().hardware().slowMemoryBandwidth;
    account_.cost.latency += std::max(demands_.compute(), memoryTime);
    account_.computeTime += demands_.compute();
    account_.memoryTime += memoryTime;
    account_.loads += loads;
    account_.stores += stores;
    return memoryTime;
  }

  // Tiles that the output takes: max(a, s) of section 7.
  std::int64_t outputs(bool last) const {
    const auto kept = static_cast<std::int64_t>(context_.stored.size() + context_.retained.size());
    return std::max(accumulators_, last ? kept : 0);
  }

  std::int64_t addPeak(const std::set<Slice>& slices, std::int64_t area, bool last) {
    const auto retained = static_cast<std::int64_t>(context_.retained.size());
    std::int64_t workingSet = residentArea_ + retained * finishedArea_;
    for (const Slice& s : slices) workingSet += s.area();
    workingSet += outputs(last) * area;
    account_.cost.peakFastMemory = std::max(account_.cost.peakFastMemory, workingSet);
    return workingSet;
  }

  void report(const std::set<Slice>& slices, std::int64_t j, double memoryTime,
              std::int64_t workingSet, std::int64_t outputArea) const {
    Iteration iteration;
    iteration.tile = tile_;
    iteration.kStep = j;
    for (const Slice& s : slices) {
      iteration.slices.push_back({s.tensor, s.rows.length(), s.columns.length(), held(s)});
    }
    for (const auto& [s, kind] : demands_.strips()) {
      iteration.strips.push_back(
          {s.tensor, s.rows.length(), s.columns.length(), kind == Strip::kLeft});
    }
    iteration.runs = demands_.runs();
    iteration.compute = demands_.compute();
    iteration.memoryTime = memoryTime;
    iteration.workingSet = workingSet;
    iteration.retainedArea = static_cast<std::int64_t>(context_.retained.size()) * finishedArea_;
    iteration.outputArea = outputArea;
    observe_(iteration);
  }

  const Subgraph& subgraph_;
  const Granularity& granularity_;
  const StepContext& context_;
  const std::function<void(const Iteration&)>& observe_;
  Demands demands_;
  std::int64_t tile_ = 0;
  std::int64_t residentArea_ = 0;
  std::int64_t kSteps_ = 1;
  std::int64_t accumulators_ = 0;
  std::int64_t finishedArea_ = 0;
  std::set<Slice> previous_;
  StepAccount account_;
};

}  // namespace

StepAccount simulateLiteral(const Subgraph& subgraph, const Granularity& granularity,
                            const Traversal& traversal, const StepContext& context,
                            DepthReading depth) {
  return walkLiteral(subgraph, granularity, traversal, context, depth, {});
}

StepAccount walkLiteral(const Subgraph& subgraph, const Granularity& granularity,
                        const Traversal& traversal, const StepContext& context, DepthReading depth,
                        const std::function<void(const Iteration&)>& observe) {
  const std::int64_t columns = ceilDiv(subgraph.gridWidth(), granularity.width);
  const std::int64_t rows = ceilDiv(subgraph.gridHeight(), granularity.height);
  LiteralSimulation simulation(subgraph, granularity, context, depth, observe);
  const bool listed = traversal.kind == TraversalKind::kExplicit;
  // Named orders may be far longer than any list of them.
  const std::int64_t tiles =
      listed ? static_cast<std::int64_t>(traversal.order.size()) : columns * rows;
  for (std::int64_t i = 0; i < tiles; ++i) {
    const std::int64_t tile = listed ? traversal.order[static_cast<std::size_t>(i)]
                                     : tileAt(traversal.kind, i, columns, rows);
    const std::int64_t top = tile / columns * granularity.height;
    const std::int64_t left = tile % columns * granularity.width;
    simulation.tile(tile, {top, std::min(subgraph.gridHeight(), top + granularity.height)},
                    {left, std::min(subgraph.gridWidth(), left + granularity.width)});
  }
  return simulation.account();
}

}  // namespace tilebeam
