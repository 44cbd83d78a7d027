// The reduction is a sample sort: every shard joins what the workers found and sorts it, a sample
// of all gives the bounds of buckets, and every bucket that can hold one of the best is sorted by
// itself. The maps' order hangs on timing; betterThan() is a total order on content, so what is
// taken, and in which order, does not.
#include "engine/state_table.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "engine/recorded_tasks.h"

namespace tilebeam {
namespace {

// Beyond this multiple of its width a table is crowded.
constexpr std::size_t kSlack = 4;

constexpr std::size_t kStatesPerShard = 32;  // of the width
constexpr std::size_t kMostShards = 128;
constexpr std::size_t kStatesPerTask = 64;
constexpr std::size_t kStatesPerClearing = 512;  // it takes little time
constexpr std::size_t kMostBuckets = 96;
constexpr std::size_t kSamplesPerBucket = 4;

}  // namespace

StateTable::StateTable(std::size_t width)
    : width_(width),
      lanes_(static_cast<std::size_t>(oneapi::tbb::this_task_arena::max_concurrency())) {
  lanes_.front().resize(1);
}

int StateTable::bitsFor(std::size_t states) const {
  const std::size_t shards = std::min(states, width_) / kStatesPerShard;
  return std::countr_zero(std::bit_ceil(std::clamp<std::size_t>(shards, 1, kMostShards)));
}

void StateTable::widenFor(std::size_t states) {
  const bool empty = size() == 0;
  shardBits_ = bitsFor(states);
  if (empty && lanes_.front().size() >= shardCount()) return;
  const std::vector<Lane> before(std::exchange(lanes_, std::vector<Lane>(lanes_.size())));
  Lane& all = lanes_.front();
  all.resize(shardCount());
  for (const Lane& lane : before) {
    for (const StateMap& shard : lane) {
      for (const SearchState& state : shard.states()) all[shardOf(state)].offer(state);
    }
  }
}

std::size_t StateTable::size() const {
  std::size_t sum = 0;
  for (const Lane& lane : lanes_) {
    for (const StateMap& shard : lane) sum += shard.size();
  }
  return sum;
}

bool StateTable::crowded() const {
  constexpr std::size_t kSample = 8;
  const std::size_t sampled = std::min(shardCount(), kSample);
  std::size_t sum = 0;
  for (const Lane& lane : lanes_) {
    for (std::size_t i = 0; i < std::min(sampled, lane.size()); ++i) sum += lane[i].size();
  }
  return sum * (shardCount() / sampled) > kSlack * width_;
}

// Calls `visit` for each shard. There are more shards than workers need: `total` states are few
// enough for several shards a task.
template <class Visit>
void StateTable::forShards(std::size_t total, TraceRecorder& recorder, const Visit& visit) {
  const std::size_t tasks = std::clamp<std::size_t>(total / kStatesPerTask, 1, shardCount());
  sharedOut(recorder, TraceKind::kReduction, tasks, [&](std::size_t task) {
    const std::size_t end = shardCount() * (task + 1) / tasks;
    for (std::size_t i = shardCount() * task / tasks; i < end; ++i) visit(i);
  });
}

// Puts what all lanes have of a shard in the first.
StateMap& StateTable::joinLanes(std::size_t shard) {
  StateMap& all = lanes_.front()[shard];
  for (std::size_t i = 1; i < lanes_.size(); ++i) {
    if (lanes_[i].size() <= shard) continue;
    StateMap& part = lanes_[i][shard];
    if (part.size() > all.size()) std::swap(part, all);
    for (const SearchState& state : part.states()) all.offer(state);
    if (part.size() > 0) part.clear();
  }
  return all;
}

// Returns how many states there are.
std::size_t StateTable::rankShards(TraceRecorder& recorder) {
  const std::size_t offered = size();
  stride_ = strideOf(offered);
  ranked_.resize(shardCount());
  samples_.resize(shardCount());
  forShards(offered, recorder, [&](std::size_t i) {
    const StateMap& shard = joinLanes(i);
    ranked_[i].clear();
    for (const SearchState& state : shard.states()) ranked_[i].push_back({state.score, &state});
    std::sort(ranked_[i].begin(), ranked_[i].end());
    takeSample(i, stride_);
  });
  std::size_t total = 0;
  for (const auto& shard : ranked_) total += shard.size();
  return total;
}

// Those that can be kept, and a quarter as many, since a sample errs.
std::size_t StateTable::wanted(std::size_t total) const {
  return std::min(total, width_ + width_ / 4);
}

std::size_t StateTable::bucketsOf(std::size_t total) const {
  return std::clamp<std::size_t>(wanted(total) / kStatesPerTask, 1, kMostBuckets);
}

std::size_t StateTable::strideOf(std::size_t total) const {
  return std::max<std::size_t>(1, wanted(total) / (bucketsOf(total) * kSamplesPerBucket));
}

// Shards begin at different ranks, as if they were one after the other.
void StateTable::takeSample(std::size_t shard, std::size_t stride) {
  constexpr std::size_t kShift = 11;
  samples_[shard].clear();
  for (std::size_t i = shard * kShift % stride; i < ranked_[shard].size(); i += stride) {
    samples_[shard].push_back(ranked_[shard][i]);
  }
}

// Buckets of about equal size of the states that are wanted of `total`. All the others are one
// bucket.
std::vector<StateTable::Ranked> StateTable::splitters(std::size_t total) const {
  const std::size_t count = bucketsOf(total);
  std::vector<Ranked> found;
  std::vector<Ranked> sample;
  if (count > 1) {
    for (const auto& some : samples_) sample.insert(sample.end(), some.begin(), some.end());
  }
  const std::size_t used = std::min(sample.size(), wanted(total) / stride_);
  if (used < count) return found;
  const auto last = sample.begin() + static_cast<std::ptrdiff_t>(used);
  if (last != sample.end()) std::nth_element(sample.begin(), last, sample.end());
  std::sort(sample.begin(), last);
  for (std::size_t i = 1; i < count; ++i) found.push_back(sample[i * used / count]);
  if (wanted(total) < total && used < sample.size()) found.push_back(sample[used - 1]);
  return found;
}

StateTable::Buckets StateTable::cutBuckets(std::size_t total, TraceRecorder& recorder) {
  Buckets buckets{splitters(total), {}};
  const std::size_t count = buckets.splitters.size() + 1;
  begins_.resize(shardCount());
  forShards(total, recorder, [&](std::size_t i) {
    std::vector<std::uint32_t>& begins = begins_[i];
    begins.assign(count + 1, 0);
    auto place = ranked_[i].begin();
    for (std::size_t b = 1; b < count; ++b) {
      place = std::lower_bound(place, ranked_[i].end(), buckets.splitters[b - 1]);
      begins[b] = static_cast<std::uint32_t>(place - ranked_[i].begin());
    }
    begins[count] = static_cast<std::uint32_t>(ranked_[i].size());
  });
  buckets.offsets.assign(count + 1, 0);
  for (const auto& begins : begins_) {
    for (std::size_t b = 0; b <= count; ++b) buckets.offsets[b] += begins[b];
  }
  return buckets;
}

std::vector<StateTable::Ranked> StateTable::sortedBucket(const Buckets& buckets,
                                                         std::size_t bucket) const {
  std::vector<Ranked> states;
  states.reserve(buckets.offsets[bucket + 1] - buckets.offsets[bucket]);
  for (std::size_t i = 0; i < ranked_.size(); ++i) {
    states.insert(states.end(), ranked_[i].begin() + begins_[i][bucket],
                  ranked_[i].begin() + begins_[i][bucket + 1]);
  }
  std::sort(states.begin(), states.end());
  return states;
}

// Not worth any sharing out.
void StateTable::takeFew(std::vector<SearchState>& best) {
  ranked_.resize(std::max<std::size_t>(ranked_.size(), 1));
  std::vector<Ranked>& states = ranked_.front();
  states.clear();
  for (std::size_t i = 0; i < shardCount(); ++i) {
    for (const SearchState& state : joinLanes(i).states()) states.push_back({state.score, &state});
  }
  std::sort(states.begin(), states.end());
  best.resize(std::min(states.size(), width_));
  for (std::size_t i = 0; i < best.size(); ++i) best[i] = *states[i].state;
  for (std::size_t i = 0; i < shardCount(); ++i) lanes_.front()[i].clear();
}

void StateTable::chooseBest(std::vector<SearchState>& best, TraceRecorder& recorder) {
  const std::size_t offered = size();
  threshold_ = std::numeric_limits<double>::infinity();
  if (offered == 0) return best.clear();
  if (offered <= kStatesPerTask) {
    takeFew(best);
    shardBits_ = std::min(shardBits_, bitsFor(best.size()));
    return;
  }
  const std::size_t total = rankShards(recorder);
  best.resize(std::min(total, width_));
  const Buckets buckets = cutBuckets(total, recorder);
  std::size_t taken = 0;  // buckets that begin among the best
  while (taken < buckets.count() && buckets.offsets[taken] < best.size()) ++taken;
  sharedOut(recorder, TraceKind::kReduction, taken, [&](std::size_t b) {
    std::size_t place = buckets.offsets[b];
    for (const Ranked& ranked : sortedBucket(buckets, b)) {
      if (place == best.size()) break;
      best[place++] = *ranked.state;
    }
  });
  left_ = total;
}

std::size_t StateTable::clearings() const {
  return left_ == 0 ? 0 : std::clamp<std::size_t>(left_ / kStatesPerClearing, 1, shardCount());
}

void StateTable::clear(std::size_t part) {
  const std::size_t parts = clearings();
  const std::size_t end = shardCount() * (part + 1) / parts;
  for (std::size_t i = shardCount() * part / parts; i < end; ++i) lanes_.front()[i].clear();
}

void StateTable::takeBest(std::vector<SearchState>& best, TraceRecorder& recorder) {
  chooseBest(best, recorder);
  sharedOut(recorder, TraceKind::kReduction, clearings(), [&](std::size_t part) { clear(part); });
  cleared();
}

void StateTable::prune(TraceRecorder& recorder) {
  const std::size_t total = rankShards(recorder);
  if (total < width_) return;
  const Buckets buckets = cutBuckets(total, recorder);
  std::size_t last = 0;  // the bucket of the worst state that stays
  while (buckets.offsets[last + 1] < width_) ++last;
  const SearchState worst = *sortedBucket(buckets, last)[width_ - 1 - buckets.offsets[last]].state;
  threshold_ = worst.score;
  recorder.serial(TraceKind::kReduction);
  forShards(total, recorder, [&](std::size_t i) { lanes_.front()[i].dropWorseThan(worst); });
}

}  // namespace tilebeam
