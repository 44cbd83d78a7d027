#include "engine/seed_growth.h"

#include <algorithm>
#include <bitset>
#include <memory_resource>
#include <unordered_set>

#include "engine/recorded_tasks.h"
#include "engine/set_rules.h"

namespace tilebeam {
namespace {

class SeedGrowth {
 public:
  SeedGrowth(StepScorer& scorer, const ScopeGraph& scope, const GeneratorLimits& limits,
             const OpPrices& prices, const std::function<bool()>& stop)
      : scorer_(scorer),
        problem_(scorer.problem()),
        graph_(problem_.graph()),
        scope_(scope.scope),
        neighbours_(scope.neighbours),
        limits_(limits),
        prices_(prices),
        stop_(stop),
        levels_(kMaxCandidateOps + 1),
        rules_(problem_, scope.ancestors, limits) {}

  std::vector<OpSet> run(OpId seed, TraceRecorder& recorder) {
    seed_ = graph_.position(seed);
    consider({{seed}}, recorder);
    if (levels_[1].first.empty()) growUntilFeasible({seed}, recorder);
    if (limits_.unions != nullptr) consider(unions(), recorder);
    std::vector<OpSet> kept;
    for (Level& level : levels_) {
      keepBest(level.first, kept, recorder);
      keepBest(level.again, kept, recorder);
    }
    return kept;
  }

 private:
  using Sets = std::vector<std::vector<OpId>>;

  // Sets of one size. Those that make some op again cost more for the ops that they cover, so they
  // are compared with their like.
  struct Level {
    std::vector<OpSet> first;
    std::vector<OpSet> again;
  };

  // A set that breaks no rule of structure, and its score.
  struct Proposal {
    std::size_t set;  // of those proposed together
    OpBits remade;    // as Candidate's
    StepKey key;
    const BestStep* best;
  };

  // Those that begin with the seed and lie within the scope.
  Sets unions() {
    Sets sets;
    for (std::vector<OpId>& set : limits_.unions->startingAt(seed_)) {
      const bool within = std::all_of(set.begin(), set.end(), [&](OpId o) {
        const Position p = graph_.position(o);
        return p - seed_ < limits_.window / 2 && scope_.contains(p);
      });
      if (within && seen_.insert(hashOf(set)).second) sets.push_back(std::move(set));
    }
    return sets;
  }

  void keepBest(std::vector<OpSet>& sets, std::vector<OpSet>& kept, TraceRecorder& recorder) {
    std::sort(sets.begin(), sets.end(), better);
    if (sets.size() > limits_.keepPerSize) sets.resize(limits_.keepPerSize);
    expand(sets, recorder);
    std::move(sets.begin(), sets.end(), std::back_inserter(kept));
  }

  // All sets of one size together, so that what has to be scored is scored side by side.
  void expand(const std::vector<OpSet>& level, TraceRecorder& recorder) {
    if (level.empty() || level.front().ops.size() >= limits_.maxOps) return;
    Sets larger;
    for (const OpSet& set : level) addLarger(set.ops, larger);
    const std::vector<SetVerdict> verdicts = consider(larger, recorder);
    // One more op may mend what one alone broke.
    Sets mended;
    for (std::size_t i = 0; i < larger.size(); ++i) {
      if (verdicts[i] == SetVerdict::kBroken && larger[i].size() < limits_.maxOps) {
        addLarger(larger[i], mended);
      }
    }
    consider(mended, recorder);
  }

  void addLarger(const std::vector<OpId>& ops, Sets& sets) {
    const std::uint64_t hash = hashOf(ops);
    for (const OpId o : neighbours(ops)) {
      if (seen_.insert(hash + opSetHash(o)).second) sets.push_back(with(ops, o));
    }
  }

  // An op that does not fit alone may fit among those that make its inputs on the spot.
  void growUntilFeasible(const std::vector<OpId>& ops, TraceRecorder& recorder) {
    constexpr std::size_t kMostOps = 8;
    constexpr std::size_t kMostSets = 200;
    Sets open{ops};
    for (std::size_t next = 0; next < open.size() && open.size() < kMostSets; ++next) {
      if (open[next].size() >= std::min(kMostOps, limits_.maxOps)) return;
      Sets larger;
      addLarger(open[next], larger);
      const std::vector<SetVerdict> verdicts = consider(larger, recorder);
      for (std::size_t i = 0; i < larger.size(); ++i) {
        if (verdicts[i] == SetVerdict::kBroken) open.push_back(std::move(larger[i]));
      }
    }
  }

  // A verdict on each; the feasible ones join their levels. Nothing once `stop` says true.
  std::vector<SetVerdict> consider(const Sets& sets, TraceRecorder& recorder) {
    std::vector<SetVerdict> verdicts(sets.size(), SetVerdict::kHopeless);
    if (sets.empty() || stop_()) return verdicts;
    std::vector<Proposal> proposals;
    for (std::size_t i = 0; i < sets.size(); ++i) {
      OpBits remade = 0;
      verdicts[i] = rules_.judge(sets[i], remade);
      if (verdicts[i] != SetVerdict::kFeasible) continue;
      StepKey key = scorer_.keyOf(sets[i]);
      key.variant.unstored = remade;
      proposals.push_back({i, remade, key, scorer_.known(key)});
    }
    scorer_.counters().local().candidates += static_cast<std::int64_t>(proposals.size());
    score(proposals, sets, recorder);
    for (const Proposal& p : proposals) verdicts[p.set] = take(sets[p.set], p);
    return verdicts;
  }

  // Those that are not known yet, on all workers: one may take as long as a thousand known ones.
  void score(std::vector<Proposal>& proposals, const Sets& sets, TraceRecorder& recorder) {
    std::vector<Proposal*> unknown;
    for (Proposal& p : proposals) {
      if (p.best == nullptr) unknown.push_back(&p);
    }
    sharedOut(recorder, TraceKind::kCandidates, unknown.size(), [&](std::size_t i) {
      if (!stop_()) scorer_.scoreIfFirst(sets[unknown[i]->set], unknown[i]->key);
    });
    std::vector<Proposal*> left;
    for (Proposal& p : proposals) {
      if (p.best == nullptr) p.best = scorer_.known(p.key);
      if (p.best == nullptr || (limits_.recomputation && !p.best->feasible())) left.push_back(&p);
    }
    sharedOut(recorder, TraceKind::kCandidates, left.size(), [&](std::size_t i) {
      if (!stop_()) score(*left[i], sets[left[i]->set]);
    });
  }

  void score(Proposal& proposal, const std::vector<OpId>& ops) {
    proposal.best = &scorer_.score(ops, proposal.key);
    if (proposal.best->feasible() || !limits_.recomputation) return;
    OpBits& unstored = proposal.key.variant.unstored;
    unstored |= rules_.unstorable(ops);
    if (unstored != proposal.remade) proposal.best = &scorer_.score(ops, proposal.key);
  }

  SetVerdict take(const std::vector<OpId>& ops, const Proposal& proposal) {
    if (proposal.best == nullptr) return SetVerdict::kHopeless;  // stopped
    if (!proposal.best->feasible()) return SetVerdict::kBroken;
    Candidate candidate;
    candidate.shape = proposal.key.shape;
    candidate.latency = proposal.best->latency;
    candidate.dropped = proposal.key.variant.unstored & ~proposal.remade;
    candidate.remade = proposal.remade;
    candidate.excess = candidate.latency - priceOf(ops, ~proposal.remade);
    Level& level = levels_[ops.size()];
    (proposal.remade == 0 ? level.first : level.again).push_back({ops, candidate});
    return candidate.dropped == 0 ? SetVerdict::kFeasible : SetVerdict::kBroken;
  }

  // Of the ops in `bits`.
  double priceOf(const std::vector<OpId>& ops, OpBits bits) const {
    double price = 0;
    for (const OpId o : ops) {
      if ((bits & 1U) != 0) price += prices_[static_cast<std::size_t>(graph_.position(o))];
      bits >>= 1;
    }
    return price;
  }

  std::vector<OpId> with(const std::vector<OpId>& ops, OpId added) const {
    const auto place = std::find_if(ops.begin(), ops.end(), [&](OpId o) {
      return graph_.position(o) > graph_.position(added);
    });
    std::vector<OpId> larger;
    larger.reserve(ops.size() + 1);
    larger.insert(larger.end(), ops.begin(), place);
    larger.push_back(added);
    larger.insert(larger.end(), place, ops.end());
    return larger;
  }

  std::vector<OpId> neighbours(const std::vector<OpId>& ops) const {
    constexpr Position kReach = kMaxWindow / 2;
    std::bitset<2 * kReach> known;  // positions from the seed - kReach on
    const auto bit = [this](Position p) { return static_cast<std::size_t>(p - seed_ + kReach); };
    for (const OpId o : ops) known.set(bit(graph_.position(o)));
    std::vector<OpId> found;
    for (const OpId o : ops) {
      for (const Position p : neighbours_.of(graph_.position(o))) {
        if (std::abs(p - seed_) >= limits_.window / 2 || known.test(bit(p))) continue;
        known.set(bit(p));
        found.push_back(graph_.topologicalOrder()[static_cast<std::size_t>(p)]);
      }
    }
    return found;
  }

  StepScorer& scorer_;
  const Problem& problem_;
  const Graph& graph_;
  const SearchScope& scope_;
  const Neighbours& neighbours_;
  const GeneratorLimits& limits_;
  const OpPrices& prices_;
  const std::function<bool()>& stop_;
  std::vector<Level> levels_;  // by size
  std::pmr::monotonic_buffer_resource seenMemory_;
  std::pmr::unordered_set<std::uint64_t> seen_{&seenMemory_};
  SetRules rules_;
  Position seed_ = 0;
};

}  // namespace

std::vector<OpSet> growSeed(StepScorer& scorer, const ScopeGraph& scope,
                            const GeneratorLimits& limits, const OpPrices& prices,
                            const std::function<bool()>& stop, OpId seed, TraceRecorder& recorder) {
  return SeedGrowth(scorer, scope, limits, prices, stop).run(seed, recorder);
}

}  // namespace tilebeam
