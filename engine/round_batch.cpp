#include "engine/round_batch.h"

#include <algorithm>

#include "engine/search_effort.h"

namespace tilebeam {
namespace {

// Of graphs in segments. What is found waits for the whole batch, but no longer than the search has
// taken so far, since batches double. Smaller graphs gain by what rounds before have found.
constexpr std::int64_t kMostRounds = 16 * kRoundsOfCycle;
constexpr std::int64_t kMostRoundsWhole = 4 * kRoundsOfCycle;

// Beams that bring forth no more for each op are narrow whatever their width: rounds find the same
// on their own as one after another. Wider ones do better with what those before have found. Whole
// graphs begin at higher levels than segments, with more candidates to a state.
constexpr std::int64_t kNarrow = 4;
constexpr std::int64_t kNarrowWhole = 12;

// Rounds of smaller graphs take less time than it takes to hand them out.
constexpr std::size_t kFewestOps = 60;

// A second or so of one core's work: what is found has to wait for the whole batch. Wide beams have
// more states in a second.
constexpr std::int64_t kMostStates = 200'000;
constexpr std::int64_t kMostStatesOfWide = 1'000'000;

// After so many rounds that came to nothing those of graphs in segments are left to themselves.
constexpr std::int64_t kIdleRounds = 2 * kRoundsOfCycle;

}  // namespace

// The first cycle is what later ones have to better. Later rounds may take several times as long,
// so batches grow step by step.
std::int64_t RoundBatch::next(std::int64_t rounds, std::size_t opCount) const {
  if (rounds < roundsUntilCycleIsDone(opCount) || opCount < kFewestOps) return 1;
  const std::int64_t each = std::max<std::int64_t>(1, states_ / rounds);
  const bool whole = opCount <= kMostOpsInOne;
  const std::int64_t most =
      std::clamp(2 * last_, kRoundsOfCycle, whole ? kMostRoundsWhole : kMostRounds);
  const std::int64_t count = std::min(mostStates(opCount, each) / each, most);
  return count >= kRoundsOfCycle ? count : 1;
}

// Of a batch; `each` is what a round generates.
std::int64_t RoundBatch::mostStates(std::size_t opCount, std::int64_t each) const {
  const bool whole = opCount <= kMostOpsInOne;
  const std::int64_t narrow = whole ? kNarrowWhole : kNarrow;
  if (each <= narrow * static_cast<std::int64_t>(opCount)) return kMostStates;
  return !whole && idle_ >= kIdleRounds ? kMostStatesOfWide : 0;
}

void RoundBatch::took(std::int64_t rounds, std::int64_t states, bool bettered) {
  last_ = rounds;
  states_ += states;
  idle_ = bettered ? 0 : idle_ + rounds;
}

}  // namespace tilebeam
