#include "tilebeam/solver.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/task_arena.h>

#include <chrono>

#include "engine/best_plans.h"
#include "engine/exact_search.h"
#include "engine/linear_program.h"
#include "engine/progress_reporter.h"
#include "engine/recorded_tasks.h"
#include "engine/scope_search.h"
#include "engine/search_effort.h"
#include "engine/search_position.h"
#include "engine/segment_search.h"
#include "engine/window_improver.h"
#include "tilebeam/errors.h"
#include "tilebeam/lower_bound.h"
#include "tilebeam/schedule_evaluator.h"

namespace tilebeam {
namespace {

using Clock = std::chrono::steady_clock;

// If some op does not fit alone and no schedule has come up by then, none will.
constexpr std::int64_t kHopelessRound = 8;

// The exact search wants a good incumbent to prune by; by then most graphs have their best.
constexpr std::int64_t kRoundsBeforeProof = 10;

SolverOptions resolve(SolverOptions options) {
  if (options.threads <= 0) options.threads = oneapi::tbb::info::default_concurrency();
  if (options.tokens <= 0) options.tokens = 4 * options.threads;
  if (options.window <= 0) options.window = kMaxWindow;
  options.window = std::min(options.window, kMaxWindow);
  return options;
}

// One call of solve().
class Solve {
 public:
  Solve(const Problem& problem, const SolverOptions& options, const SolverCallbacks& callbacks,
        const CancellationToken* cancellation)
      : problem_(problem),
        options_(resolve(options)),
        reporter_(callbacks),
        cancellation_(cancellation),
        start_(Clock::now()),
        recorder_(callbacks.trace),
        scorer_(problem, options_.depth, options_.without),
        scope_(problem.opCount()),
        plans_(problem, evaluatorOptions()) {
    result_.options = options_;
    result_.bound = lowerBound(problem, options_.depth).value;
    for (const OpId o : problem.graph().topologicalOrder()) {
      opFloors_.push_back(opComputeBound(problem, o, options_.depth));
    }
  }

  SolveResult run(const Schedule* initial) {
    if (options_.prove) LinearProgram::require();
    if (initial != nullptr) start(*initial);
    prices_ = singles_ = singlePrices(scorer_, recorder_);
    offer(planOfSingles(), "single ops");
    std::int64_t round = 0;
    while (true) {
      if (proofDue(round)) prove();
      if (finished(round)) break;
      runRound(++round);
      if (!found() && round == kHopelessRound) break;
    }
    if (!found()) giveUp();
    result_.seconds = seconds();
    result_.counters = scorer_.counters().sum();
    result_.counters.rounds = round;
    result_.counters.plansRejected = plans_.rejected();
    ConfirmedPlan best = std::move(plans_).take();
    result_.schedule = std::move(best.schedule);
    result_.stepLatencies = std::move(best.stepLatencies);
    return std::move(result_);
  }

 private:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  bool found() const { return plans_.found(); }

  bool optimal() const {
    return found() && result_.totalLatency <= result_.bound * (1 + kRounding);
  }

  bool cancelled() const { return cancellation_ != nullptr && cancellation_->cancelled(); }

  // Time is up or the caller has had enough. Asked by all workers at the seams of their work, which
  // makes it the place to report from.
  bool interrupted() {
    if (cancelled()) return true;
    const double now = seconds();
    reporter_.tick(now, [&] { return progress(now); });
    return now >= options_.timeLimit;
  }

  // What it reads changes only while no worker is at work, or is made to be read at any time.
  SearchProgress progress(double now) const {
    SearchProgress report;
    report.seconds = now;
    report.round = currentRound_;
    report.phase = position_.phase();
    report.done = position_.done();
    report.total = position_.total();
    if (found()) report.latency = result_.totalLatency;
    report.bound = result_.bound;
    report.counters = scorer_.counters().sum();
    report.counters.rounds = currentRound_;
    return report;
  }

  [[noreturn]] void giveUp() {
    if (cancelled()) throw InterruptedError("interrupted before any schedule was found");
    throw InfeasibleError(whyInfeasible());
  }

  bool roundsUsed(std::int64_t round) const {
    return options_.maxRounds > 0 && round >= options_.maxRounds;
  }

  // After a few rounds, or the last.
  bool proofDue(std::int64_t round) {
    return options_.prove && !proofTried_ && found() && !optimal() && !interrupted() &&
           (round >= kRoundsBeforeProof || roundsUsed(round));
  }

  bool finished(std::int64_t round) {
    if (optimal()) {
      result_.status = SolveStatus::kOptimal;
    } else if (cancelled()) {
      result_.status = SolveStatus::kInterrupted;
    } else if (seconds() >= options_.timeLimit) {
      result_.status = SolveStatus::kTimeLimit;
    } else if (roundsUsed(round)) {
      result_.status = SolveStatus::kRoundLimit;
    } else {
      return false;
    }
    return true;
  }

  // Raises the bound by the exact search, to the incumbent's latency if that is optimal.
  void prove() {
    position_.enter(SearchPhase::kProof);
    ExactLimits limits;
    limits.upperBound = result_.totalLatency;
    limits.stop = [this] { return interrupted(); };
    const ExactBound exact = exactBound(problem_, options_.depth, limits);
    const double before = result_.bound;
    result_.bound = std::max(result_.bound, std::min(exact.value, result_.totalLatency));
    if (result_.bound > before) {
      const double now = seconds();
      reporter_.now(now, [&] { return progress(now); });
    }
    proofTried_ = true;
  }

  void runRound(std::int64_t round) {
    currentRound_ = round;
    RoundEffort effort = effortOfRound(round, problem_.opCount());
    if (options_.without.contains(Feature::kRecomputation)) {
      effort.recomputation = effort.generator.recomputation = false;
    }
    if (options_.beamWidth > 0) effort.beamWidth = static_cast<std::size_t>(options_.beamWidth);
    effort.generator.window = options_.window;
    effort.generator.without = options_.without;
    if (effort.prices == PriceSource::kIncumbent && found()) {
      prices_ = pricesOf(plans_.base());
    }
    if (effort.freshPrices) {
      prices_ = singles_;
    } else if (found()) {
      unions_ = StepUnions(problem_, plans_.base());
      effort.generator.unions = &unions_;
    }
    BeamOptions beam;
    beam.width = effort.beamWidth;
    beam.grainSize = static_cast<std::size_t>(options_.grainSize);
    beam.tokens = static_cast<std::size_t>(options_.tokens);
    beam.position = &position_;
    effort.kind == RoundKind::kBeam ? searchGraph(effort, beam) : searchWindows(effort, beam);
  }

  void searchGraph(const RoundEffort& effort, BeamOptions beam) {
    const auto stop = [this] { return interrupted(); };
    const bool shares = effort.prices == PriceSource::kShares;
    if (effort.segmentOps > 0) {
      const SegmentSearch search(scorer_, effort, opFloors_, beam);
      const auto segments = cutSegments(problem_, effort.segmentOps, effort.shift);
      if (auto plan =
              search.run(segments, prices_, shares ? &singles_ : nullptr, stop, recorder_)) {
        return offer(*std::move(plan), "segments");
      }
      // Some op may fit only with others from beyond a cut.
    }
    if (found()) beam.cutoff = result_.totalLatency;
    const ScopeSearch search(scorer_, scope_, effort, opFloors_, options_.window, beam);
    auto plan = shares ? search.run(prices_, singles_, stop, recorder_)
                       : search.run(prices_, stop, recorder_);
    if (plan) offer(*std::move(plan), "beam");
  }

  void searchWindows(const RoundEffort& effort, const BeamOptions& beam) {
    if (!found() || options_.without.contains(Feature::kWindows)) return;
    improveWindows(plans_.incumbent().plan, effort, beam);
    if (!plans_.baseIsIncumbent()) improveWindows(plans_.base(), effort, beam);
  }

  void improveWindows(const Plan& plan, const RoundEffort& effort, const BeamOptions& beam) {
    if (plan.steps.empty() || interrupted()) return;
    const WindowImprover improver(scorer_, prices_, opFloors_, effort, beam);
    const auto windows = cutWindows(problem_, plan, effort.windowOps, effort.shift);
    auto better = improver.improve(
        plan, windows, [this] { return interrupted(); }, recorder_);
    if (better) offer(*std::move(better), "windows");
  }

  void start(const Schedule& initial) {
    const Evaluation evaluation = ScheduleEvaluator(problem_, evaluatorOptions()).evaluate(initial);
    if (!evaluation.valid()) throw InputError(evaluation.violation->message());
    offer(planOf(initial, stepLatencies(evaluation)), "initial");
  }

  // Every op a step of its own; no steps if some op does not fit alone.
  Plan planOfSingles() {
    Plan plan;
    const auto order = problem_.graph().topologicalOrder();
    plan.steps.resize(order.size());
    sharedOut(recorder_, TraceKind::kCandidates, order.size(), [&](std::size_t p) {
      const std::vector<OpId> single{order[p]};
      const BestStep& best = scorer_.score(single, scorer_.keyOf(single));
      plan.steps[p] = best.feasible() ? plannedStep(problem_, single, {}, best)
                                      : PlannedStep{single, {}, best, {}};
    });
    for (const PlannedStep& step : plan.steps) {
      if (!step.best.feasible()) return {};
      plan.latency += step.best.latency;
    }
    return plan;
  }

  // Steps are judged side by side.
  EvaluatorOptions evaluatorOptions() {
    EvaluatorOptions options{options_.depth, SimulatorChoice::kFastest};
    options.forEachStep = [this](std::size_t count, const std::function<void(std::size_t)>& judge) {
      sharedOut(recorder_, TraceKind::kOther, count, judge);
    };
    return options;
  }

  void offer(Plan plan, const char* source) {
    if (!plans_.offer(std::move(plan))) return;
    const ConfirmedPlan& incumbent = plans_.incumbent();
    result_.totalLatency = incumbent.plan.latency;
    // Both are sums of the same numbers in different order; a gap is never negative.
    result_.bound = std::min(result_.bound, result_.totalLatency);
    const Incumbent news{seconds(),     currentRound_, result_.totalLatency,
                         result_.bound, source,        scorer_.counters().sum().stepsScored};
    result_.history.push_back(news);
    reporter_.incumbent(news, incumbent.schedule, incumbent.stepLatencies);
  }

  // Each op's share of its step's latency, in proportion to what the ops cost alone.
  OpPrices pricesOf(const Plan& plan) const {
    OpPrices prices = singles_;
    const Graph& graph = problem_.graph();
    for (const PlannedStep& step : plan.steps) {
      double alone = 0;
      for (const OpId o : step.ops) alone += singles_[static_cast<std::size_t>(graph.position(o))];
      for (const OpId o : step.ops) {
        const auto p = static_cast<std::size_t>(graph.position(o));
        prices[p] = alone > 0 ? singles_[p] / alone * step.best.latency : 0;
      }
    }
    return prices;
  }

  std::string whyInfeasible() {
    for (std::size_t o = 0; o < problem_.opCount(); ++o) {
      const std::vector<OpId> single{OpId::fromIndex(o)};
      if (scorer_.score(single, scorer_.keyOf(single)).feasible()) continue;
      return "op " + std::to_string(o) + " fits in fast memory at no granularity";
    }
    return "no schedule was found in the time given";
  }

  const Problem& problem_;
  SolverOptions options_;
  ProgressReporter reporter_;
  SearchPosition position_;
  const CancellationToken* cancellation_;
  Clock::time_point start_;
  TraceRecorder recorder_;
  StepScorer scorer_;
  std::vector<double> opFloors_;
  SearchScope scope_;
  OpPrices singles_;
  OpPrices prices_;
  StepUnions unions_;
  BestPlans plans_;
  bool proofTried_ = false;
  std::int64_t currentRound_ = 0;
  SolveResult result_;
};

}  // namespace

SolveResult solve(const Problem& problem, const SolverOptions& options,
                  const SolverCallbacks& callbacks, const CancellationToken* cancellation,
                  const Schedule* initial) {
  const int threads = resolve(options).threads;
  // The library's own limit, not the number of cores, decides how many workers there may be.
  const oneapi::tbb::global_control limit(oneapi::tbb::global_control::max_allowed_parallelism,
                                          static_cast<std::size_t>(threads));
  oneapi::tbb::task_arena arena(threads);
  return arena.execute(
      [&] { return Solve(problem, options, callbacks, cancellation).run(initial); });
}

}  // namespace tilebeam
