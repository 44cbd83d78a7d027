#include "tilebeam/solver.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/task_arena.h>

#include <chrono>
#include <cmath>
#include <optional>

#include "engine/best_plans.h"
#include "engine/exact_search.h"
#include "engine/linear_program.h"
#include "engine/plan_of_way.h"
#include "engine/plan_tuner.h"
#include "engine/progress_reporter.h"
#include "engine/recorded_tasks.h"
#include "engine/round_runner.h"
#include "engine/search_position.h"
#include "engine/startable_threads.h"
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
    for (const OpId o : problem.graph().topologicalOrder()) {
      opFloors_.push_back(opComputeBound(problem, o, options_.depth));
    }
  }

  SolveResult run(const Schedule* initial) {
    recordedChains(recorder_, TraceKind::kOther, 2, [&](std::size_t i, TraceRecorder& chain) {
      if (i == 0) {
        result_.bound = lowerBound(problem_, options_.depth).value;
      } else {
        singles_ = singlePrices(scorer_, chain);
      }
    });
    Plan singles = planOfSingles();
    limitSteps(singles);
    if (initial != nullptr) start(*initial);
    if (std::isfinite(singles.latency)) offer(std::move(singles), "single ops");
    rounds_.begin(singles_);
    while (true) {
      if (proofDue()) prove();
      if (finished()) break;
      runRounds();
      tune();
      if (!found() && rounds_.done() >= kHopelessRound) break;
    }
    if (!found()) giveUp();
    result_.seconds = seconds();
    result_.counters = scorer_.counters().sum();
    result_.counters.rounds = rounds_.done();
    result_.counters.plansRejected = plans_.rejected();
    scorer_.forget(recorder_);
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
    report.round = rounds_.current();
    report.phase = position_.phase();
    report.done = position_.done();
    report.total = position_.total();
    if (found()) report.latency = result_.totalLatency;
    report.bound = result_.bound;
    report.counters = scorer_.counters().sum();
    report.counters.rounds = rounds_.current();
    return report;
  }

  [[noreturn]] void giveUp() {
    if (cancelled()) throw InterruptedError("interrupted before any schedule was found");
    throw InfeasibleError(whyInfeasible());
  }

  bool roundsUsed() const { return options_.maxRounds > 0 && rounds_.done() >= options_.maxRounds; }

  // After a few rounds, or the last.
  bool proofDue() {
    return options_.prove && !proofTried_ && found() && !optimal() && !interrupted() &&
           (rounds_.done() >= kRoundsBeforeProof || roundsUsed());
  }

  bool finished() {
    if (optimal()) {
      result_.status = SolveStatus::kOptimal;
    } else if (cancelled()) {
      result_.status = SolveStatus::kInterrupted;
    } else if (seconds() >= options_.timeLimit) {
      result_.status = SolveStatus::kTimeLimit;
    } else if (roundsUsed()) {
      result_.status = SolveStatus::kRoundLimit;
    } else {
      return false;
    }
    return true;
  }

  // Raises the bound by the exact search, to the incumbent's latency if that is optimal. If it is
  // not, the search knows what a better schedule must look like. Where quick bounds of steps leave
  // a gap, dearer ones may take half of the time that is left.
  void prove() {
    proofTried_ = true;
    if (proveWith(BoundEffort::kQuick) && !optimal()) proveWith(BoundEffort::kThorough);
  }

  // True if the search ran to its end.
  bool proveWith(BoundEffort effort) {
    position_.enter(SearchPhase::kProof);
    ExactLimits limits;
    limits.upperBound = result_.totalLatency;
    limits.effort = effort;
    const double now = seconds();
    const double quit =
        effort == BoundEffort::kQuick ? options_.timeLimit : now + (options_.timeLimit - now) / 2;
    limits.stop = [this, quit] { return interrupted() || seconds() >= quit; };
    const ExactBound exact = exactBound(problem_, options_.depth, limits);
    const double before = result_.bound;
    result_.bound = std::max(result_.bound, std::min(exact.value, result_.totalLatency));
    // Which features it would use is not asked; a study goes without.
    if (!exact.way.empty() && options_.without.empty()) {
      auto plan = planOfWay(problem_, options_.depth, exact.way, limits.stop);
      if (plan) offer(*std::move(plan), "proof");
    }
    if (result_.bound > before) {
      reporter_.now(seconds(), [&] { return progress(seconds()); });
    }
    return exact.complete;
  }

  void runRounds() {
    const std::int64_t most = options_.maxRounds > 0 ? options_.maxRounds - rounds_.done()
                                                     : std::numeric_limits<std::int64_t>::max();
    rounds_.run(
        most, [this] { return interrupted(); },
        [this](Plan plan, const char* source) { offer(std::move(plan), source); });
  }

  // Tuning tries all orders and granularities there are.
  bool mayTune() const {
    const FeatureSet& without = options_.without;
    return !without.contains(Feature::kTuning) && !without.contains(Feature::kSnakes) &&
           !without.contains(Feature::kFineTiles);
  }

  // What is found too late for it is not tuned.
  void tune() {
    if (!found() || !mayTune() || interrupted()) return;
    if (plans_.version() == tunedVersion_ && !tuner_.hasMore()) return;
    const auto stop = [this] { return interrupted(); };
    offer(tuner_.tune(plans_.incumbent(), stop, recorder_), "tuning");
    tunedVersion_ = plans_.version();
  }

  void start(const Schedule& initial) {
    const Evaluation evaluation = ScheduleEvaluator(problem_, evaluatorOptions()).evaluate(initial);
    if (!evaluation.valid()) throw InputError(evaluation.violation->message());
    offer(planOf(initial, stepLatencies(evaluation)), "initial");
  }

  void limitSteps(const Plan& singles) {
    std::vector<double> alone(problem_.opCount());
    for (const PlannedStep& step : singles.steps) {
      alone[step.ops.front().index()] = step.best.latency;
    }
    scorer_.setSingles(std::move(alone));
  }

  // Every op a step of its own; infinite latency if some op does not fit alone.
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
    plan.latency = latencyOf(plan.steps);
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
    const Incumbent news{seconds(),
                         rounds_.current(),
                         result_.totalLatency,
                         result_.bound,
                         source,
                         scorer_.counters().sum().stepsScored};
    result_.history.push_back(news);
    reporter_.incumbent(news, incumbent.schedule, incumbent.stepLatencies);
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
  BestPlans plans_;
  RoundSetting setting_{scorer_, scope_, opFloors_, singles_, options_, plans_};
  RoundRunner rounds_{setting_, position_, recorder_};
  PlanTuner tuner_{scorer_};
  std::int64_t tunedVersion_ = 0;
  bool proofTried_ = false;
  SolveResult result_;
};

}  // namespace

SolveResult solve(const Problem& problem, const SolverOptions& options,
                  const SolverCallbacks& callbacks, const CancellationToken* cancellation,
                  const Schedule* initial) {
  using oneapi::tbb::global_control;
  // Before there are threads, which would take its room.
  if (options.prove) LinearProgram::require();
  SolverOptions possible = options;
  possible.threads = startableThreads(
      resolve(options).threads, global_control::active_value(global_control::thread_stack_size));
  // The library's own limit, not the number of cores, decides how many workers there may be.
  const global_control limit(global_control::max_allowed_parallelism,
                             static_cast<std::size_t>(possible.threads));
  oneapi::tbb::task_arena arena(possible.threads);
  return arena.execute(
      [&] { return Solve(problem, possible, callbacks, cancellation).run(initial); });
}

}  // namespace tilebeam
