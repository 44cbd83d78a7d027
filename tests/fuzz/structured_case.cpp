#include "fuzz/structured_case.h"

#include <algorithm>
#include <vector>

#include "tilebeam/subgraph.h"

namespace tilebeam::fuzz {
namespace {

// Bytes in order; zeros behind the end.
class ByteSource {
 public:
  explicit ByteSource(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  bool empty() const { return bytes_.empty(); }
  std::int64_t byte() {
    if (bytes_.empty()) return 0;
    const std::uint8_t value = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return value;
  }
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + byte() % (high - low + 1);
  }
  bool chance(int percent) { return byte() % 100 < percent; }

 private:
  std::span<const std::uint8_t> bytes_;
};

constexpr std::int64_t kMaxEdge = 13;
constexpr std::int64_t kMaxOps = 8;

class CaseReader {
 public:
  explicit CaseReader(std::span<const std::uint8_t> bytes) : source_(bytes) {}

  std::optional<StructuredCase> read() {
    if (source_.empty()) return std::nullopt;
    hardware_ = {source_.between(0, 255) * 8 + 1, static_cast<double>(source_.between(1, 20)),
                 source_.between(1, 9), source_.between(1, 9)};
    for (std::int64_t& edge : edges_) edge = source_.between(1, kMaxEdge);
    const std::int64_t count = source_.between(1, kMaxOps);
    for (std::int64_t i = 0; i < count; ++i) addOp();
    Problem problem(tensors_, ops_, hardware_);
    Schedule schedule = readSchedule(problem);
    return StructuredCase{std::move(problem), std::move(schedule)};
  }

 private:
  std::int64_t edge() { return edges_[static_cast<std::size_t>(source_.between(0, 2))]; }

  TensorId add(Tensor shape) {
    tensors_.push_back(shape);
    return TensorId::fromIndex(tensors_.size() - 1);
  }

  // One of the tensors so far with this shape, or a new graph input.
  TensorId input(Tensor shape) {
    std::vector<TensorId> fitting;
    for (std::size_t t = 0; t < tensors_.size(); ++t) {
      if (tensors_[t] == shape) fitting.push_back(TensorId::fromIndex(t));
    }
    const auto choice = static_cast<std::size_t>(source_.byte()) % (fitting.size() + 1);
    return choice < fitting.size() ? fitting[fitting.size() - 1 - choice] : add(shape);
  }

  void addOp() {
    Op op;
    op.baseCost = static_cast<double>(source_.between(0, 60)) / 4;
    const Tensor shape{edge(), edge()};
    if (source_.chance(50)) {
      op.type = OpType::kMatMul;
      const std::int64_t reduction = edge();
      op.inputs = {input({reduction, shape.height}), input({shape.width, reduction})};
    } else {
      for (std::int64_t n = source_.between(1, 3); n > 0; --n) op.inputs.push_back(input(shape));
    }
    op.output = add(shape);
    ops_.push_back(std::move(op));
  }

  // Runs of the ops, producers first, each run a step; now and then anything else.
  Schedule readSchedule(const Problem& problem) {
    Schedule schedule;
    std::size_t next = 0;
    while (next < ops_.size()) {
      Step step;
      step.ops.push_back(OpId::fromIndex(next++));
      for (std::int64_t n = source_.between(0, 4); n > 0 && next < ops_.size(); --n) {
        step.ops.push_back(OpId::fromIndex(next));
        if (Subgraph(problem, step.ops).violation() && !source_.chance(5)) {
          step.ops.pop_back();
          break;
        }
        ++next;
      }
      if (source_.chance(10)) {
        step.ops.insert(step.ops.begin(), OpId(static_cast<std::int32_t>(source_.between(0, 9))));
      }
      complete(problem, step);
      schedule.steps.push_back(std::move(step));
    }
    return schedule;
  }

  std::int64_t depth(const Problem& problem, const Step& step) {
    if (source_.chance(5)) return source_.between(0, 20) - 1;
    std::int64_t deepest = hardware_.nativeDepth();
    for (const OpId o : step.ops) {
      if (o.index() >= ops_.size() || !ops_[o.index()].isMatMul()) continue;
      deepest = std::min(deepest, problem.reduction(o));
    }
    return source_.chance(40) ? deepest : source_.between(1, deepest);
  }

  void complete(const Problem& problem, Step& step) {
    step.granularity = {source_.between(1, hardware_.nativeWidth),
                        source_.between(1, hardware_.nativeHeight), depth(problem, step)};
    for (const OpId o : step.ops) {
      if (!source_.chance(15)) continue;
      step.retained.push_back(o.index() < ops_.size() ? ops_[o.index()].output : TensorId(99));
    }
    const std::int64_t kind = source_.between(0, 5);
    if (kind < 3) step.traversal.kind = static_cast<TraversalKind>(kind);
    if (kind == 3) listTiles(problem, step);
  }

  // A permutation by a few swaps, of the tiles of the last op's output.
  void listTiles(const Problem& problem, Step& step) {
    const OpId last = step.ops.back();
    if (last.index() >= problem.opCount()) return;
    const Tensor& grid = problem.tensor(problem.op(last).output);
    const Granularity& g = step.granularity;
    const std::int64_t columns = (grid.width - 1) / g.width + 1;
    const std::int64_t rows = (grid.height - 1) / g.height + 1;
    auto& order = step.traversal.order;
    order = tileOrder(static_cast<TraversalKind>(source_.between(0, 2)), columns, rows);
    step.traversal.kind = TraversalKind::kExplicit;
    for (std::int64_t n = source_.between(0, 4); n > 0; --n) {
      const auto at = [&] { return static_cast<std::size_t>(source_.byte()) % order.size(); };
      const std::size_t a = at();
      std::swap(order[a], order[at()]);
    }
    if (source_.chance(3)) order.back() = source_.byte();
  }

  ByteSource source_;
  Hardware hardware_;
  std::int64_t edges_[3] = {1, 1, 1};
  std::vector<Tensor> tensors_;
  std::vector<Op> ops_;
};

}  // namespace

std::optional<StructuredCase> structuredCase(std::span<const std::uint8_t> bytes) {
  return CaseReader(bytes).read();
}

}  // namespace tilebeam::fuzz
