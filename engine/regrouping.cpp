#include "engine/regrouping.h"

#include <algorithm>
#include <utility>

#include "engine/group_merger.h"

namespace tilebeam {
namespace {

GeneratorLimits limitsOf(const FeatureSet& without) {
  GeneratorLimits limits;
  limits.without = without;
  limits.recomputation = false;
  return limits;
}

// Of steps, whatever their order.
std::uint64_t hashOfSteps(const StepChain& chain) {
  std::uint64_t hash = 0;
  for (const PlannedStep& step : chain) {
    std::uint64_t one = 0;
    for (const OpId o : step.ops) one += opSetHash(o);
    for (const TensorId t : step.retained) one ^= mix(~static_cast<std::uint64_t>(t.value()));
    hash += mix(one);
  }
  return hash;
}

// Of an op that leaves one group for a step of another, or of the same.
ContentHash hashOfTransfer(const StepGroup& from, OpId o, const StepGroup& to, std::size_t step) {
  const std::uint64_t which = mix(opSetHash(o) + step);
  return {mix(from.hash.low ^ which) + to.hash.low, mix(from.hash.high ^ which) + to.hash.high};
}

}  // namespace

RegroupingScope::RegroupingScope(StepScorer& scorer, const SearchScope& scope,
                                 const FeatureSet& without, const std::function<bool()>& stopped)
    : problem(scorer.problem()),
      limits(limitsOf(without)),
      graph(problem, scope, limits),
      rules(problem, graph.ancestors, limits),
      chains(scorer, rules, stopped),
      stop(stopped) {}

Regrouping::Regrouping(const RegroupingScope& scope, std::vector<StepChain> chains)
    : scope_(scope), groups_(scope.problem, scope.graph.scope, scope.graph.neighbours) {
  for (StepChain& chain : chains) {
    const GroupId g = groups_.add(std::move(chain));
    ops_.insert(ops_.end(), groups_[g].ops.begin(), groups_[g].ops.end());
  }
}

std::vector<StepChain> Regrouping::copy() const {
  std::vector<StepChain> chains;
  for (const GroupId g : groups_.present()) chains.push_back(groups_[g].steps);
  return chains;
}

bool Regrouping::improve(TraceRecorder& recorder, std::optional<std::uint64_t> seed) {
  recorder_ = &recorder;
  chance_ = seed.has_value();
  seed_ = seed.value_or(0);
  drawn_ = 0;
  std::size_t last = 0;
  do {
    last = changes_.size();
    merge(groups_.present());
    for (const GroupId g : groups_.present()) transferFrom(g);
  } while (changes_.size() > last && !scope_.stop());
  recorder_ = nullptr;
  const bool any = !changes_.empty();
  changes_.clear();
  return any;
}

// Undone at once, and false, if groups would wait for each other.
bool Regrouping::replace(std::vector<GroupId> removed, std::vector<StepChain> added) {
  for (const GroupId g : removed) groups_.remove(g);
  Change& change = changes_.emplace_back(Change{std::move(removed), {}});
  for (StepChain& chain : added) change.added.push_back(groups_.add(std::move(chain)));
  return std::none_of(change.added.begin(), change.added.end(),
                      [this](GroupId g) { return groups_.inCycle(g); });
}

void Regrouping::undo() {
  const Change& change = changes_.back();
  for (const GroupId g : change.added) groups_.remove(g);
  for (const GroupId g : change.removed) groups_.restore(g);
  if (!change.added.empty()) groups_.forgetFrom(change.added.front());
  changes_.pop_back();
}

// Those that gain join the queue. Chance may have a say in which of them goes first: by gain alone
// the same steps would come together again and again.
void Regrouping::score(std::vector<GroupMerger>& proposals,
                       std::priority_queue<GroupMerger>& queue) {
  constexpr double kLeftToChance = 0.7;
  const auto scoreOne = [&](std::size_t i) { findSteps(proposals[i]); };
  if (recorder_ != nullptr) {
    sharedOut(*recorder_, TraceKind::kCandidates, proposals.size(), scoreOne);
  } else {
    for (std::size_t i = 0; i < proposals.size(); ++i) scoreOne(i);
  }
  for (GroupMerger& m : proposals) {
    if (m.gain <= 0) continue;
    m.priority = chance_ ? m.gain * (1 - kLeftToChance * fraction(draw())) : m.gain;
    queue.push(std::move(m));
  }
  proposals.clear();
}

// None, if it is known that nothing is gained.
void Regrouping::findSteps(GroupMerger& merger) const {
  ForgetfulSet& fruitless = scope_.fruitless.local();
  ContentHash hash;
  for (const GroupId g : merger.groups) hash += groups_[g].hash;
  if (fruitless.contains(hash)) return;
  const bool retention = !scope_.limits.without.contains(Feature::kRetention);
  MergerSearch(groups_, scope_.chains, retention, merger).run();
  if (merger.gain <= 0) fruitless.add(hash);
}

// The merger of highest priority first, until none gains; of groups next to one of these.
void Regrouping::merge(const std::vector<GroupId>& around) {
  std::priority_queue<GroupMerger> queue;
  std::vector<GroupMerger> proposals;
  const auto propose = [&](GroupId a, GroupId b) {
    proposals.push_back({a, b, groups_.withBetween(a, b), {}, 0, 0});
  };
  for (const GroupId g : around) {
    for (const GroupId other : groups_.neighbours(g)) {
      const bool isAround = std::find(around.begin(), around.end(), other) != around.end();
      if (other > g || !isAround) propose(g, other);
    }
  }
  score(proposals, queue);
  while (!queue.empty() && !scope_.stop()) {
    const GroupMerger m = queue.top();
    queue.pop();
    if (groups_[m.first].removed || groups_[m.second].removed) continue;
    // Others may have brought more in between, or less.
    if (groups_.withBetween(m.first, m.second) != m.groups) {
      propose(m.first, m.second);
    } else {
      replace(m.groups, {m.steps});
      const GroupId merged = changes_.back().added.front();
      for (const GroupId other : groups_.neighbours(merged)) propose(merged, other);
    }
    score(proposals, queue);
  }
}

// Ops of the group's steps to steps next to them, as long as that is for the better.
void Regrouping::transferFrom(GroupId from) {
  while (!scope_.stop() && !groups_[from].removed && transferOne(from)) continue;
}

// `from` becomes what is left of it.
bool Regrouping::transferOne(GroupId& from) {
  const std::vector<OpId> ops = groups_[from].ops;
  for (const OpId o : ops) {
    const StepPlace place = groups_.placeOf(o);
    if (groups_.at(place).ops.size() == 1) continue;
    for (const StepPlace& to : groups_.placesNextTo(o)) {
      if (scope_.stop()) return false;
      if (!transfer(place, o, to)) continue;
      from = changes_.back().added.front();
      return true;
    }
  }
  return false;
}

bool Regrouping::transfer(StepPlace from, OpId o, StepPlace to) {
  ForgetfulSet& fruitless = scope_.fruitless.local();
  const ContentHash hash = hashOfTransfer(groups_[from.group], o, groups_[to.group], to.step);
  if (fruitless.contains(hash)) return false;
  std::vector<StepChain> altered = stepsAfterTransfer(from, o, to);
  if (altered.empty()) {
    fruitless.add(hash);
    return false;
  }
  std::vector<GroupId> groups{from.group};
  if (to.group != from.group) groups.push_back(to.group);
  if (replace(std::move(groups), std::move(altered))) return true;
  undo();
  return false;
}

// Of the two groups, or of the one; none if that is not for the better.
std::vector<StepChain> Regrouping::stepsAfterTransfer(StepPlace from, OpId o, StepPlace to) const {
  const StepChains& chains = scope_.chains;
  const bool within = to.group == from.group;
  ChainSketch source(groups_[from.group].steps);
  ChainSketch other;
  if (!within) other.append(groups_[to.group].steps);
  ChainSketch& target = within ? source : other;
  const double before = source.latency() + other.latency();
  std::vector<OpId> left = groups_.at(from).ops;
  std::erase(left, o);
  const std::vector<OpId> more = chains.united(groups_.at(to).ops, {o});
  source[from.step] = {&left, source[from.step].retained, nullptr, {}};
  const SketchedStep joined{&more, target[to.step].retained, nullptr, {}};
  target[to.step].ops = &more;
  if (!chains.holdsTogether(source) || (!within && !chains.holdsTogether(other))) return {};
  // What is left is looked at first: as a rule it costs no less.
  target[to.step].best.latency = 0;
  if (!chains.score(source) || !isBetter(source.latency() + other.latency(), before)) return {};
  target[to.step] = joined;
  if (!chains.score(target) || !isBetter(source.latency() + other.latency(), before)) return {};
  std::vector<StepChain> altered{source.chain()};
  if (!within) altered.push_back(other.chain());
  return altered;
}

// A step and up to two more, each next to one of those before.
std::vector<StepPlace> Regrouping::drawSteps() {
  std::vector<StepPlace> drawn{groups_.placeOf(ops_[draw(ops_.size())])};
  for (std::size_t more = draw(3); more > 0; --more) {
    const std::vector<OpId>& ops = groups_.at(drawn[draw(drawn.size())]).ops;
    const std::vector<StepPlace> next = groups_.placesNextTo(ops[draw(ops.size())]);
    if (next.empty()) continue;
    const StepPlace place = next[draw(next.size())];
    if (std::find(drawn.begin(), drawn.end(), place) == drawn.end()) drawn.push_back(place);
  }
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

// Runs of random length, so that merging does not come to the same end each time; op by op where
// one does not fit. None if some op does not.
std::vector<StepChain> Regrouping::drawParts(const std::vector<OpId>& ops) {
  constexpr std::size_t kMostOps = 8;
  const std::size_t longest = 1 + draw(kMostOps);
  std::vector<StepChain> parts;
  const auto add = [&](std::vector<OpId> part) {
    const BestStep best = scope_.chains.score(part);
    if (best.feasible()) parts.push_back({{std::move(part), {}, best, {}}});
    return best.feasible();
  };
  for (auto first = ops.begin(); first != ops.end();) {
    const auto left = static_cast<std::size_t>(ops.end() - first);
    const auto last = first + static_cast<std::ptrdiff_t>(std::min(left, 1 + draw(longest)));
    const bool fits =
        add({first, last}) || std::all_of(first, last, [&](OpId o) { return add({o}); });
    if (!fits) return {};
    first = last;
  }
  return parts;
}

// Steps [first, last) of a chain as one of their own. False if that does not fit.
bool Regrouping::addRest(const StepChain& chain, std::size_t first, std::size_t last,
                         std::vector<StepChain>& pieces) const {
  if (first == last) return true;
  const auto at = [&](std::size_t i) { return chain.begin() + static_cast<std::ptrdiff_t>(i); };
  StepChain& rest = pieces.emplace_back(at(first), at(last));
  if (!rest.back().retained.empty()) {
    rest.back().retained.clear();
    if (!scope_.chains.rescore(rest, rest.size() - 1)) return false;
  }
  return first == 0 || scope_.chains.rescore(rest, 0);
}

// False if that cannot be.
bool Regrouping::takeApart(const std::vector<StepPlace>& steps) {
  std::vector<OpId> ops;
  for (const StepPlace& s : steps) {
    ops.insert(ops.end(), groups_.at(s).ops.begin(), groups_.at(s).ops.end());
  }
  groups_.sort(ops);
  std::vector<StepChain> pieces = drawParts(ops);
  if (pieces.empty()) return false;
  std::vector<GroupId> removed;
  for (auto s = steps.begin(); s != steps.end();) {
    const GroupId g = s->group;
    const StepChain& chain = groups_[g].steps;
    std::size_t next = 0;
    for (; s != steps.end() && s->group == g; next = s->step + 1, ++s) {
      if (!addRest(chain, next, s->step, pieces)) return false;
    }
    if (!addRest(chain, next, chain.size(), pieces)) return false;
    removed.push_back(g);
  }
  return replace(std::move(removed), std::move(pieces));
}

Trial Regrouping::attempt(std::uint64_t seed) {
  chance_ = true;
  seed_ = seed;
  drawn_ = 0;
  const auto before = static_cast<GroupId>(groups_.size());
  Trial trial;
  if (takeApart(drawSteps())) {
    merge(std::vector<GroupId>(changes_.back().added));
    const std::size_t merged = changes_.size();
    for (std::size_t c = 0; c < merged; ++c) {
      for (const GroupId g : std::vector<GroupId>(changes_[c].added)) transferFrom(g);
    }
    trial = outcome(before);
  }
  while (!changes_.empty()) undo();
  return trial;
}

// Of all changes, which began with so many groups.
Trial Regrouping::outcome(GroupId before) const {
  Trial trial;
  std::uint64_t was = 0;
  std::uint64_t is = 0;
  for (const Change& change : changes_) {
    for (const GroupId g : change.removed) {
      if (g >= before) continue;
      trial.removed.push_back(g);
      trial.gain += groups_[g].latency;
      was += hashOfSteps(groups_[g].steps);
    }
  }
  for (auto g = before; g < groups_.size(); ++g) {
    if (groups_[g].removed) continue;
    trial.added.push_back(groups_[g].steps);
    trial.gain -= groups_[g].latency;
    is += hashOfSteps(groups_[g].steps);
  }
  return was == is ? Trial{} : trial;
}

bool Regrouping::apply(const Trial& trial) {
  if (trial.removed.empty()) return false;
  if (std::any_of(trial.removed.begin(), trial.removed.end(),
                  [this](GroupId g) { return groups_[g].removed; })) {
    return false;
  }
  const bool applied = replace(trial.removed, trial.added);
  if (!applied) undo();
  changes_.clear();
  return applied;
}

}  // namespace tilebeam
