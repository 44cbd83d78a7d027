#include "engine/taker_index.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>

#include "engine/recorded_tasks.h"

namespace tilebeam {
namespace {

// The smallest sets, which stand for most. Comparing all with all takes seconds where an op takes
// hundreds of tensors.
constexpr std::ptrdiff_t kMostCompared = 128;

using Lists = std::vector<std::vector<CandidateId>>;

// What a candidate is judged by; most questions end at the bits.
struct Taker {
  CandidateId candidate = 0;
  std::uint64_t takers = 0;   // hash of those of its ops that take the tensors
  std::uint64_t ops = 0;      // a bit for each
  std::uint64_t awaited = 0;  // a bit for each op that it takes from
  std::uint32_t opCount = 0;
};

class Minimiser {
 public:
  Minimiser(const Problem& problem, const CandidatePool& pool, const std::function<bool()>& stop)
      : problem_(problem), pool_(pool), stop_(stop) {}

  // Leaves candidates that stand for all; where there are very many, more than need be.
  void minimise(std::span<const Position> producers, std::vector<CandidateId>& candidates) const {
    std::vector<Taker> takers;
    for (const CandidateId c : candidates) takers.push_back(describe(producers, c));
    std::sort(takers.begin(), takers.end(), [](const Taker& a, const Taker& b) {
      return std::tie(a.takers, a.opCount, a.candidate) <
             std::tie(b.takers, b.opCount, b.candidate);
    });
    std::vector<Taker> kept;
    std::size_t alike = 0;  // the first kept with the same takers
    for (const Taker& t : takers) {
      if (stop_()) break;
      if (!kept.empty() && kept.back().takers != t.takers) alike = kept.size();
      const auto standsFor = [&](const Taker& k) { return this->standsFor(k, t); };
      const auto first = kept.begin() + static_cast<std::ptrdiff_t>(alike);
      const auto last = first + std::min<std::ptrdiff_t>(kept.end() - first, kMostCompared);
      if (std::none_of(first, last, standsFor)) {
        kept.push_back(t);
      }
    }
    std::sort(kept.begin(), kept.end(), [](const Taker& a, const Taker& b) {
      return std::tie(a.opCount, a.candidate) < std::tie(b.opCount, b.candidate);
    });
    candidates.clear();
    for (const Taker& t : kept) candidates.push_back(t.candidate);
  }

 private:
  Taker describe(std::span<const Position> producers, CandidateId c) const {
    const Graph& graph = problem_.graph();
    Taker taker;
    taker.candidate = c;
    taker.ops = pool_[c].signature;
    taker.opCount = static_cast<std::uint32_t>(pool_.positions(c).size());
    for (const CandidateExternal& e : pool_.externals(c)) {
      if (e.producer != CandidateExternal::kGraphInput) {
        taker.awaited |= std::uint64_t{1} << (e.producer & 63);
      }
    }
    for (const Position p : producers) {
      const OpId producer = graph.topologicalOrder()[static_cast<std::size_t>(p)];
      for (const OpId o : graph.consumers(problem_.op(producer).output)) {
        if (pool_.holds(c, graph.position(o))) taker.takers += opSetHash(o);
      }
      taker.takers = mix(taker.takers);
    }
    return taker;
  }

  bool standsFor(const Taker& small, const Taker& large) const {
    if ((small.ops & ~large.ops) != 0 || (small.awaited & ~large.awaited) != 0) return false;
    const auto ops = pool_.positions(small.candidate);
    const auto more = pool_.positions(large.candidate);
    if (!std::includes(more.begin(), more.end(), ops.begin(), ops.end())) return false;
    const auto awaits = pool_.externals(large.candidate);
    const auto externals = pool_.externals(small.candidate);
    return std::all_of(externals.begin(), externals.end(), [&](const CandidateExternal& e) {
      return e.producer == CandidateExternal::kGraphInput ||
             std::any_of(awaits.begin(), awaits.end(),
                         [&](const CandidateExternal& a) { return a.tensor == e.tensor; });
    });
  }

  const Problem& problem_;
  const CandidatePool& pool_;
  const std::function<bool()>& stop_;
};

// By the producer's position: the candidates that take its output, in order.
Lists takersByProducer(const CandidatePool& pool) {
  Lists lists(static_cast<std::size_t>(pool.end() - pool.begin()));
  for (CandidateId c = 0; c < pool.size(); ++c) {
    for (const CandidateExternal& e : pool.externals(c)) {
      if (e.producer >= pool.begin() && e.producer < pool.end()) {
        lists[static_cast<std::size_t>(e.producer - pool.begin())].push_back(c);
      }
    }
  }
  return lists;
}

// The outputs, two by two, that one step can retain.
std::vector<std::array<Position, 2>> retainedTogether(const CandidatePool& pool) {
  std::vector<std::array<Position, 2>> pairs;
  for (CandidateId c = 0; c < pool.size(); ++c) {
    const auto outputs = pool.outputs(c);
    const auto positions = pool.positions(c);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (!outputs[i].atTilePosition || !outputs[j].atTilePosition) continue;
        pairs.push_back({positions[outputs[j].opIndex], positions[outputs[i].opIndex]});
      }
    }
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

}  // namespace

TakerIndex::TakerIndex(const Problem& problem, const CandidatePool& pool,
                       const std::function<bool()>& stop, TraceRecorder& recorder)
    : begin_(pool.begin()) {
  const Lists takers = takersByProducer(pool);
  const std::vector<std::array<Position, 2>> pairs = retainedTogether(pool);
  const Minimiser minimiser(problem, pool, stop);
  Lists lists(takers.size() + pairs.size());
  recorder.serial(TraceKind::kCandidates);
  sharedOut(recorder, TraceKind::kCandidates, lists.size(), [&](std::size_t i) {
    if (stop()) return;
    if (i < takers.size()) {
      const Position producer = begin_ + static_cast<Position>(i);
      lists[i] = takers[i];
      minimiser.minimise({&producer, 1}, lists[i]);
      return;
    }
    const auto& pair = pairs[i - takers.size()];
    const std::vector<CandidateId>& first = takers[slot(pair[0])];
    const std::vector<CandidateId>& second = takers[slot(pair[1])];
    std::set_intersection(first.begin(), first.end(), second.begin(), second.end(),
                          std::back_inserter(lists[i]));
    minimiser.minimise(pair, lists[i]);
  });
  begins_.push_back(0);
  for (const auto& list : lists) {
    flat_.insert(flat_.end(), list.begin(), list.end());
    begins_.push_back(static_cast<std::uint32_t>(flat_.size()));
  }
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (lists[takers.size() + i].empty()) continue;
    pairs_.emplace(pairKey(pairs[i][0], pairs[i][1]),
                   static_cast<std::uint32_t>(takers.size() + i));
  }
  recorder.serial(TraceKind::kCandidates);
}

}  // namespace tilebeam
