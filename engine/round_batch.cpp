#include "engine/round_batch.h"

#include <algorithm>

#include "engine/search_effort.h"

namespace tilebeam {
namespace {

constexpr std::int64_t kMostRounds = 4 * kRoundsOfCycle;

// Beams that bring forth no more for each op are narrow whatever their width: rounds find the same
// on their own as one after another. Wider ones do better with what those before have found. Whole
// graphs begin at higher levels than segments, with more candidates to a state.
constexpr std::int64_t kNarrow = 4;
constexpr std::int64_t kNarrowWhole = 12;

// Rounds of smaller graphs take less time than it takes to hand them out.
constexpr std::size_t kFewestOps = 60;

// A second or so of one core's work: what is found has to wait for the whole batch.
constexpr std::int64_t kMostStates = 200'000;

}  // namespace

// The first cycle is what later ones have to better. Later rounds may take several times as long,
// so batches grow step by step.
std::int64_t RoundBatch::next(std::int64_t rounds, std::size_t opCount) const {
  if (rounds < roundsUntilCycleIsDone(opCount) || opCount < kFewestOps) return 1;
  const std::int64_t each = std::max<std::int64_t>(1, states_ / rounds);
  const std::int64_t narrow = opCount > kMostOpsInOne ? kNarrow : kNarrowWhole;
  if (each > narrow * static_cast<std::int64_t>(opCount)) return 1;
  const std::int64_t most = std::clamp(2 * last_, kRoundsOfCycle, kMostRounds);
  const std::int64_t count = std::min(kMostStates / each, most);
  return count >= kRoundsOfCycle ? count : 1;
}

void RoundBatch::took(std::int64_t rounds, std::int64_t states) {
  last_ = rounds;
  states_ += states;
}

}  // namespace tilebeam
