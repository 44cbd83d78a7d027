#include "engine/round_batch.h"

#include <algorithm>

#include "engine/search_effort.h"

namespace tilebeam {
namespace {

// Of graphs in segments. What is found waits for the whole batch, but not much longer than the
// search has taken so far, since batches double, or quadruple where wide beams are asked for.
// Smaller graphs gain by what rounds before have found.
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

// Who asks for beams of so many states wants much work done, by many workers.
constexpr std::int64_t kWide = 1024;

}  // namespace

RoundBatch::RoundBatch(std::int64_t beamWidth, std::size_t opCount)
    : opCount_(opCount), wide_(beamWidth >= kWide && opCount > kMostOpsInOne) {}

// The first cycle is what later ones have to better. Later rounds may take several times as long,
// so batches grow step by step.
std::int64_t RoundBatch::next(std::int64_t rounds) const {
  if (wide_) return nextOfWide(rounds);
  if (rounds < roundsUntilCycleIsDone(opCount_) || opCount_ < kFewestOps) return 1;
  const std::int64_t each = std::max<std::int64_t>(1, states_ / rounds);
  const bool whole = opCount_ <= kMostOpsInOne;
  const std::int64_t most =
      std::clamp(2 * last_, kRoundsOfCycle, whole ? kMostRoundsWhole : kMostRounds);
  const std::int64_t count = std::min(mostStates(each) / each, most);
  return count >= kRoundsOfCycle ? count : 1;
}

// Whole cycles at the least, and the rest of the first: its first round is what the others go by.
// What a beam in flight takes is bounded by the workers, not by the rounds.
std::int64_t RoundBatch::nextOfWide(std::int64_t rounds) const {
  const std::int64_t left = roundsUntilCycleIsDone(opCount_) - rounds;
  if (left > 0) return left < kRoundsOfCycle ? left : 1;
  const std::int64_t each = std::max<std::int64_t>(1, states_ / rounds);
  const std::int64_t cycles = std::min(kMostStatesOfWide / each, 3 * rounds) / kRoundsOfCycle;
  return kRoundsOfCycle * std::clamp<std::int64_t>(cycles, 1, kMostRounds / kRoundsOfCycle);
}

// Of a batch; `each` is what a round generates.
std::int64_t RoundBatch::mostStates(std::int64_t each) const {
  const bool whole = opCount_ <= kMostOpsInOne;
  const std::int64_t narrow = whole ? kNarrowWhole : kNarrow;
  if (each <= narrow * static_cast<std::int64_t>(opCount_)) return kMostStates;
  return !whole && idle_ >= kIdleRounds ? kMostStatesOfWide : 0;
}

void RoundBatch::took(std::int64_t rounds, std::int64_t states, bool bettered) {
  last_ = rounds;
  states_ += states;
  idle_ = bettered ? 0 : idle_ + rounds;
}

}  // namespace tilebeam
