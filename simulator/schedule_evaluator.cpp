#include "tilebeam/schedule_evaluator.h"

#include <algorithm>

#include "schedule_rules.h"
#include "step_demands.h"

namespace tilebeam {
namespace {

// One pass over a schedule. Sections and rules are those of docs/cost-model.md.
class ScheduleJudge {
 public:
  ScheduleJudge(const Problem& problem, const EvaluatorOptions& options, const Schedule& schedule)
      : problem_(problem),
        options_(options),
        schedule_(schedule),
        inSlowMemory_(problem.tensorCount(), false),
        covered_(problem.opCount(), false) {}

  Evaluation judge() {
    if (!checkOps()) return std::move(result_);
    buildSubgraphs();
    std::vector<std::vector<TensorId>> retained;
    retained.reserve(schedule_.steps.size());
    for (const Step& step : schedule_.steps) retained.push_back(step.retained);
    stored_ = storedTensors(problem_, subgraphs_, retained);
    judgeApart();
    result_.steps.reserve(schedule_.steps.size());
    for (std::size_t i = 0; i < schedule_.steps.size(); ++i) {
      if (auto broken = judgeStep(i)) {
        result_.violation = ScheduleViolation{i, std::move(*broken)};
        return std::move(result_);
      }
    }
    if (auto broken = checkCompleteness()) {
      result_.violation = ScheduleViolation{std::nullopt, std::move(*broken)};
    }
    return std::move(result_);
  }

 private:
  // What can be said of a step without having gone through those before it.
  struct Apart {
    std::optional<Violation> form;     // of the rules on its subgraph, granularity and traversal
    std::optional<Violation> outputs;  // of the rules on what it retains and stores
    StepReport report;                 // if there is neither, nor in any step before

    bool sound() const { return !form && !outputs; }
  };

  std::string tensorName(TensorId t) const {
    return "tensor " + std::to_string(schedule_.number(t));
  }

  bool checkOps() {
    for (std::size_t i = 0; i < schedule_.steps.size(); ++i) {
      for (const OpId o : schedule_.steps[i].ops) {
        if (o.valid() && o.index() < problem_.opCount()) continue;
        result_.violation = ScheduleViolation{
            i,
            {1, "op " + std::to_string(schedule_.number(o)) + " does not exist; there are " +
                    std::to_string(problem_.opCount()) + " ops"}};
        return false;
      }
    }
    return true;
  }

  template <class Visit>
  void forEachStep(const Visit& visit) const {
    forEachOf(schedule_.steps.size(), visit);
  }

  // Of the first `count` steps.
  template <class Visit>
  void forEachOf(std::size_t count, const Visit& visit) const {
    if (options_.forEachStep) return options_.forEachStep(count, visit);
    for (std::size_t i = 0; i < count; ++i) visit(i);
  }

  // Storage decisions look ahead, so every step's ops must be known before the first is judged.
  void buildSubgraphs() {
    std::vector<std::optional<Subgraph>> built(schedule_.steps.size());
    forEachStep([&](std::size_t i) { built[i].emplace(problem_, schedule_.steps[i].ops); });
    subgraphs_.reserve(built.size());
    for (auto& subgraph : built) subgraphs_.push_back(std::move(*subgraph));
  }

  void judgeApart() {
    apart_.resize(schedule_.steps.size());
    forEachStep([this](std::size_t i) {
      apart_[i].form = checkForm(i);
      if (!apart_[i].form) apart_[i].outputs = checkOutputs(i);
    });
    // What stands behind a broken step is not asked for, whatever it would take.
    const auto broken = std::find_if(apart_.begin(), apart_.end(),
                                     [](const Apart& apart) { return !apart.sound(); });
    const auto sound = static_cast<std::size_t>(broken - apart_.begin());
    forEachOf(sound, [this](std::size_t i) { apart_[i].report = simulate(i); });
  }

  std::optional<Violation> checkForm(std::size_t i) const {
    const Subgraph& subgraph = subgraphs_[i];
    if (subgraph.violation()) return subgraph.violation();
    if (auto broken = checkGranularity(subgraph, schedule_.steps[i].granularity)) return broken;
    return checkTraversal(subgraph, schedule_.steps[i]);
  }

  std::optional<Violation> checkOutputs(std::size_t i) const {
    if (auto broken = checkRetained(i)) return broken;
    return checkTilePositions(subgraphs_[i], schedule_.steps[i], stored_[i]);
  }

  std::optional<Violation> judgeStep(std::size_t i) {
    Apart& apart = apart_[i];
    if (apart.form) return std::move(apart.form);
    if (auto broken = checkExternal(i)) return broken;
    if (apart.outputs) return std::move(apart.outputs);

    StepReport& report = apart.report;
    const std::int64_t capacity = problem_.hardware().fastMemoryCapacity;
    if (report.account.cost.peakFastMemory > capacity) {
      return Violation{9, "the working set reaches " +
                              std::to_string(report.account.cost.peakFastMemory) +
                              ", the fast memory holds " + std::to_string(capacity)};
    }
    result_.totalLatency += report.account.cost.latency;
    result_.steps.push_back(std::move(report));
    for (const TensorId t : stored_[i]) inSlowMemory_[t.index()] = true;
    for (const OpId o : subgraphs_[i].ops()) covered_[o.index()] = true;
    return std::nullopt;
  }

  // What step `i` finds in fast memory.
  bool isResident(std::size_t i, TensorId t) const {
    if (i == 0) return false;
    const std::vector<TensorId>& carried = schedule_.steps[i - 1].retained;
    return std::find(carried.begin(), carried.end(), t) != carried.end();
  }

  std::optional<Violation> checkExternal(std::size_t i) const {
    for (const TensorId t : subgraphs_[i].external()) {
      if (problem_.isGraphInput(t) || inSlowMemory_[t.index()] || isResident(i, t)) continue;
      return Violation{6, "the external " + tensorName(t) +
                              " is neither in slow memory nor retained by the step before"};
    }
    return std::nullopt;
  }

  std::optional<Violation> checkRetained(std::size_t i) const {
    const Subgraph& subgraph = subgraphs_[i];
    const Step& step = schedule_.steps[i];
    std::vector<TensorId> sorted = step.retained;
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end()) return Violation{7, tensorName(*twice) + " is retained twice"};
    for (const TensorId t : step.retained) {
      if (!subgraph.produces(t)) {
        return Violation{7, tensorName(t) + " is retained but no op of the step produces it"};
      }
      if (isResident(i, t)) {
        return Violation{7, tensorName(t) + " was carried in and cannot be retained again"};
      }
    }
    return std::nullopt;
  }

  std::optional<Violation> checkTilePositions(const Subgraph& subgraph, const Step& step,
                                              const std::vector<TensorId>& stored) const {
    for (const TensorId t : step.retained) {
      if (!subgraph.atTilePosition(t)) {
        return Violation{8, "the retained " + tensorName(t) + " is not at tile position"};
      }
    }
    for (const TensorId t : stored) {
      if (!subgraph.atTilePosition(t)) {
        return Violation{
            8, tensorName(t) + " must be stored for a later step but is not at tile position"};
      }
    }
    return std::nullopt;
  }

  StepReport simulate(std::size_t i) const {
    const Subgraph& subgraph = subgraphs_[i];
    const Step& step = schedule_.steps[i];
    const Granularity& g = step.granularity;
    const std::int64_t columns = ceilDiv(subgraph.gridWidth(), g.width);
    const std::int64_t rows = ceilDiv(subgraph.gridHeight(), g.height);
    StepReport report;
    report.stored = stored_[i];
    report.tiles = columns * rows;
    if (subgraph.maxRootReduction() > 0) {
      report.kSteps = ceilDiv(subgraph.maxRootReduction(), g.depth);
    }
    StepContext context{{}, stored_[i], step.retained};
    if (i > 0) context.resident = schedule_.steps[i - 1].retained;
    std::sort(context.resident.begin(), context.resident.end());
    if (options_.simulator == SimulatorChoice::kLiteral) {
      report.account = simulateLiteral(subgraph, g, step.traversal, context, options_.depth);
      return report;
    }
    const CollapsedSimulator collapsed(subgraph, context, options_.depth);
    const TraversalKind kind = step.traversal.kind == TraversalKind::kExplicit
                                   ? recogniseTraversal(step.traversal.order, columns, rows)
                                   : step.traversal.kind;
    report.account = kind == TraversalKind::kExplicit ? collapsed.account(g, step.traversal)
                                                      : collapsed.account(g, kind);
    return report;
  }

  std::optional<Violation> checkCompleteness() const {
    for (std::size_t o = 0; o < covered_.size(); ++o) {
      if (!covered_[o]) return Violation{0, "op " + std::to_string(o) + " is in no step"};
    }
    for (const Op& op : problem_.ops()) {
      if (!problem_.isGraphOutput(op.output) || inSlowMemory_[op.output.index()]) continue;
      return Violation{0, "the graph output " + tensorName(op.output) + " is never stored"};
    }
    return std::nullopt;
  }

  const Problem& problem_;
  const EvaluatorOptions& options_;
  const Schedule& schedule_;
  std::vector<Subgraph> subgraphs_;
  std::vector<std::vector<TensorId>> stored_;
  std::vector<bool> inSlowMemory_;
  std::vector<bool> covered_;
  std::vector<Apart> apart_;
  Evaluation result_;
};

}  // namespace

std::string ScheduleViolation::message() const {
  std::string text;
  if (step) text = "step " + std::to_string(*step) + ": ";
  text += violation.rule > 0 ? "cost model 3." + std::to_string(violation.rule)
                             : std::string(step ? "cost model 2" : "cost model 3");
  return text + ": " + violation.message;
}

ScheduleEvaluator::ScheduleEvaluator(const Problem& problem, EvaluatorOptions options)
    : problem_(problem), options_(options) {}

Evaluation ScheduleEvaluator::evaluate(const Schedule& schedule) const {
  return ScheduleJudge(problem_, options_, schedule).judge();
}

}  // namespace tilebeam
