#include "engine/step_merging.h"

#include <algorithm>
#include <queue>
#include <random>
#include <tuple>
#include <utility>

#include "engine/limits.h"
#include "engine/recorded_tasks.h"
#include "engine/seed_growth.h"
#include "engine/set_rules.h"
#include "engine/step_groups.h"

namespace tilebeam {
namespace {

// Changes that gain no larger share of a latency are none.
bool isBetter(double latency, double than) { return latency < than * kWorthwhile; }

GeneratorLimits limitsOf(const FeatureSet& without) {
  GeneratorLimits limits;
  limits.without = without;
  limits.recomputation = false;
  return limits;
}

// One step instead of two groups and all that lie between them.
struct Merger {
  GroupId first;
  GroupId second;
  std::vector<GroupId> groups;
  std::vector<OpId> ops;
  BestStep best;
  double gain = 0;

  // By gain; ties by content.
  bool operator<(const Merger& other) const {
    if (gain != other.gain) return gain < other.gain;
    return std::tie(groups, first, second) > std::tie(other.groups, other.first, other.second);
  }
};

// The steps of one window.
class Regrouping {
 public:
  Regrouping(StepScorer& scorer, const SearchScope& scope, const GeneratorLimits& limits,
             const std::function<bool()>& stop, TraceRecorder& recorder)
      : scorer_(scorer),
        graph_(scorer.problem(), scope, limits),
        rules_(scorer.problem(), graph_.ancestors, limits),
        groups_(scorer.problem(), graph_.scope, graph_.neighbours),
        stop_(stop),
        recorder_(recorder) {}

  void add(std::vector<PlannedStep> steps) { groups_.add(std::move(steps)); }
  std::vector<PlannedStep> steps() const { return groups_.steps(); }

  // Until no change is for the better. True if there was one.
  bool improve();

  // So many times for each step; see StepMerging. True if some trial was for the better.
  bool vary(std::size_t trials, std::uint64_t seed);

 private:
  struct Change {
    std::vector<GroupId> removed;
    std::vector<GroupId> added;
  };

  BestStep score(const std::vector<OpId>& ops);
  void merge(const std::vector<GroupId>& around);
  void propose(std::vector<Merger>& mergers, std::priority_queue<Merger>& queue);
  Merger mergerOf(GroupId a, GroupId b) const {
    return {a, b, groups_.withBetween(a, b), {}, {}, 0};
  }
  void score(Merger& m);
  void transferFrom(GroupId from);
  bool transfer(GroupId from, OpId o, GroupId to);
  std::vector<GroupId> drawGroups();
  std::vector<std::vector<OpId>> drawParts(const std::vector<OpId>& ops);
  bool takeApart(std::vector<GroupId> groups);
  std::size_t draw(std::size_t count) { return static_cast<std::size_t>(random_() % count); }
  GroupId addStep(std::vector<OpId> ops, const BestStep& best);
  void undo(std::size_t changes);
  double latency() const;

  StepScorer& scorer_;
  ScopeGraph graph_;
  SetRules rules_;
  StepGroups groups_;
  const std::function<bool()>& stop_;
  TraceRecorder& recorder_;
  std::vector<Change> changes_;
  std::mt19937_64 random_;
};

bool Regrouping::improve() {
  const std::size_t before = changes_.size();
  std::size_t last = before;
  do {
    last = changes_.size();
    merge(groups_.present());
    for (const GroupId g : groups_.present()) transferFrom(g);
  } while (changes_.size() > last && !stop_());
  return changes_.size() > before;
}

// Infeasible if the set breaks a rule or is too large.
BestStep Regrouping::score(const std::vector<OpId>& ops) {
  const Graph& graph = scorer_.problem().graph();
  if (ops.size() > kMaxCandidateOps || stop_()) return {};
  if (graph.position(ops.back()) - graph.position(ops.front()) >= kMaxWindow) return {};
  OpBits remade = 0;
  if (rules_.judge(ops, remade) != SetVerdict::kFeasible) return {};
  ++scorer_.counters().local().candidates;
  return scorer_.score(ops, scorer_.keyOf(ops));
}

GroupId Regrouping::addStep(std::vector<OpId> ops, const BestStep& best) {
  return groups_.add({plannedStep(scorer_.problem(), std::move(ops), {}, best)});
}

void Regrouping::score(Merger& m) {
  m.ops = groups_.opsOf(m.groups);
  m.best = score(m.ops);
  for (const GroupId g : m.groups) m.gain += groups_[g].latency;
  m.gain = isBetter(m.best.latency, m.gain) ? m.gain - m.best.latency : 0;
}

void Regrouping::propose(std::vector<Merger>& mergers, std::priority_queue<Merger>& queue) {
  sharedOut(recorder_, TraceKind::kCandidates, mergers.size(),
            [&](std::size_t i) { score(mergers[i]); });
  for (Merger& m : mergers) {
    if (m.gain > 0) queue.push(std::move(m));
  }
  mergers.clear();
}

// The merger of most gain first, until none gains; of groups next to one of these.
void Regrouping::merge(const std::vector<GroupId>& around) {
  std::priority_queue<Merger> queue;
  std::vector<Merger> proposals;
  const auto isAround = [&](GroupId g) {
    return std::find(around.begin(), around.end(), g) != around.end();
  };
  for (const GroupId g : around) {
    for (const GroupId other : groups_.neighbours(g)) {
      if (other > g || !isAround(other)) proposals.push_back(mergerOf(g, other));
    }
  }
  propose(proposals, queue);
  while (!queue.empty() && !stop_()) {
    const Merger m = queue.top();
    queue.pop();
    if (groups_[m.first].removed || groups_[m.second].removed) continue;
    // Others may have brought more in between, or less.
    if (proposals.push_back(mergerOf(m.first, m.second)); proposals[0].groups != m.groups) {
      propose(proposals, queue);
      continue;
    }
    proposals.clear();
    for (const GroupId g : m.groups) groups_.remove(g);
    const GroupId merged = addStep(m.ops, m.best);
    changes_.push_back({m.groups, {merged}});
    for (const GroupId other : groups_.neighbours(merged)) {
      proposals.push_back(mergerOf(merged, other));
    }
    propose(proposals, queue);
  }
}

// Ops of the group to its neighbours, as long as that is for the better.
void Regrouping::transferFrom(GroupId from) {
  bool moved = true;
  while (moved && !stop_()) {
    moved = false;
    if (groups_[from].removed || groups_[from].steps.size() > 1) return;
    const std::vector<OpId> ops = groups_[from].ops;
    for (std::size_t i = 0; i < ops.size() && ops.size() > 1 && !moved; ++i) {
      for (const GroupId to : groups_.neighbours(from, ops[i])) {
        moved = groups_[to].steps.size() == 1 && transfer(from, ops[i], to);
        if (!moved) continue;
        from = changes_.back().added.front();
        break;
      }
    }
  }
}

bool Regrouping::transfer(GroupId from, OpId o, GroupId to) {
  const double before = groups_[from].latency + groups_[to].latency;
  std::vector<OpId> left = groups_[from].ops;
  left.erase(std::find(left.begin(), left.end(), o));
  const BestStep bestLeft = score(left);
  if (!isBetter(bestLeft.latency, before)) return false;
  std::vector<OpId> joined = groups_[to].ops;
  joined.push_back(o);
  groups_.sort(joined);
  const BestStep bestJoined = score(joined);
  if (!isBetter(bestLeft.latency + bestJoined.latency, before)) return false;
  groups_.remove(from);
  groups_.remove(to);
  const GroupId newFrom = addStep(std::move(left), bestLeft);
  const GroupId newTo = addStep(std::move(joined), bestJoined);
  changes_.push_back({{from, to}, {newFrom, newTo}});
  if (!groups_.inCycle(newFrom) && !groups_.inCycle(newTo)) return true;
  undo(changes_.size() - 1);
  return false;
}

// Back to when there were so many changes.
void Regrouping::undo(std::size_t changes) {
  for (; changes_.size() > changes; changes_.pop_back()) {
    for (const GroupId g : changes_.back().added) groups_.remove(g);
    for (const GroupId g : changes_.back().removed) groups_.restore(g);
  }
}

double Regrouping::latency() const {
  double sum = 0;
  for (const GroupId g : groups_.present()) sum += groups_[g].latency;
  return sum;
}

// A group and up to two more, each next to one of those before.
std::vector<GroupId> Regrouping::drawGroups() {
  const std::vector<GroupId> present = groups_.present();
  std::vector<GroupId> drawn{present[draw(present.size())]};
  for (std::size_t more = draw(3); more > 0; --more) {
    const std::vector<GroupId> next = groups_.neighbours(drawn[draw(drawn.size())]);
    if (next.empty()) continue;
    const GroupId g = next[draw(next.size())];
    if (std::find(drawn.begin(), drawn.end(), g) == drawn.end()) drawn.push_back(g);
  }
  return drawn;
}

// Runs of random length, so that merging does not come to the same end each time.
std::vector<std::vector<OpId>> Regrouping::drawParts(const std::vector<OpId>& ops) {
  constexpr std::size_t kMostOps = 4;
  const std::size_t longest = 1 + draw(kMostOps);
  std::vector<std::vector<OpId>> parts;
  for (std::size_t i = 0; i < ops.size();) {
    const std::size_t length = std::min(ops.size() - i, 1 + draw(longest));
    const auto begin = ops.begin() + static_cast<std::ptrdiff_t>(i);
    parts.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(length));
    i += length;
  }
  return parts;
}

// In parts, or op by op where a part does not fit. False if that cannot be.
bool Regrouping::takeApart(std::vector<GroupId> groups) {
  const std::vector<OpId> ops = groups_.opsOf(groups);
  if (ops.size() < 2) return false;
  std::vector<std::pair<std::vector<OpId>, BestStep>> steps;
  for (const std::vector<OpId>& part : drawParts(ops)) {
    if (const BestStep best = score(part); best.feasible()) {
      steps.emplace_back(part, best);
      continue;
    }
    for (const OpId o : part) {
      const BestStep best = score({o});
      if (!best.feasible()) return false;
      steps.emplace_back(std::vector<OpId>{o}, best);
    }
  }
  Change change{std::move(groups), {}};
  for (const GroupId g : change.removed) groups_.remove(g);
  for (auto& [part, best] : steps) change.added.push_back(addStep(std::move(part), best));
  changes_.push_back(std::move(change));
  const std::vector<GroupId>& added = changes_.back().added;
  return std::none_of(added.begin(), added.end(), [this](GroupId g) { return groups_.inCycle(g); });
}

bool Regrouping::vary(std::size_t trials, std::uint64_t seed) {
  random_.seed(seed);
  bool any = false;
  double best = latency();
  const std::size_t count = trials * groups_.present().size();
  for (std::size_t trial = 0; trial < count && !stop_(); ++trial) {
    const std::size_t before = changes_.size();
    double now = best;
    if (takeApart(drawGroups())) {
      merge(std::vector<GroupId>(changes_.back().added));
      const std::size_t last = changes_.size();
      for (std::size_t c = before; c < last; ++c) {
        for (const GroupId g : std::vector<GroupId>(changes_[c].added)) transferFrom(g);
      }
      now = latency();
    }
    if (isBetter(now, best)) {
      best = now;
      any = true;
    } else {
      undo(before);
    }
  }
  return any;
}

}  // namespace

std::optional<Plan> StepMerging::improve(const Plan& plan, const std::vector<PlanWindow>& windows,
                                         std::size_t trials, std::uint64_t seed,
                                         const std::function<bool()>& stop,
                                         TraceRecorder& recorder) const {
  const GeneratorLimits limits = limitsOf(without_);
  std::vector<std::vector<PlannedStep>> bettered(windows.size());
  const auto improveOne = [&](std::size_t i, TraceRecorder& chain) {
    if (stop()) return;
    const SearchScope scope(positionsOf(scorer_.problem(), plan, windows[i]));
    Regrouping regrouping(scorer_, scope, limits, stop, chain);
    const auto steps = plan.steps.begin();
    for (std::size_t first = windows[i].first; first < windows[i].last;) {
      const std::size_t last = endOfChain(plan, first);
      regrouping.add(
          {steps + static_cast<std::ptrdiff_t>(first), steps + static_cast<std::ptrdiff_t>(last)});
      first = last;
    }
    const bool improved = regrouping.improve();
    const bool varied = regrouping.vary(trials, mix(seed + i));
    if (improved || varied) bettered[i] = regrouping.steps();
  };
  recordedChains(recorder, TraceKind::kWindows, windows.size(), improveOne);
  return replaceWindows(plan, windows, std::move(bettered));
}

}  // namespace tilebeam
