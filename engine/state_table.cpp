// The reduction is a sample sort: every shard sorts its own states, a sample of all gives the
// bounds of buckets, and every bucket that can hold one of the best is sorted by itself. The maps'
// order hangs on timing; betterThan() is a total order on content, so what is taken, and in which
// order, does not.
#include "engine/state_table.h"

#include <algorithm>
#include <bit>

#include "engine/recorded_tasks.h"

namespace tilebeam {
namespace {

// Beyond this multiple of its width a table is crowded.
constexpr std::size_t kSlack = 4;

constexpr std::size_t kStatesPerShard = 16;  // of the width
constexpr std::size_t kMostShards = 128;
constexpr std::size_t kStatesPerTask = 64;
constexpr std::size_t kMostBuckets = 96;
constexpr std::size_t kSamplesPerBucket = 4;

}  // namespace

StateTable::StateTable(std::size_t width) : width_(width), shards_(1) {}

int StateTable::bitsFor(std::size_t states) const {
  const std::size_t shards = std::min(states, width_) / kStatesPerShard;
  return std::countr_zero(std::bit_ceil(std::clamp<std::size_t>(shards, 1, kMostShards)));
}

void StateTable::widenFor(std::size_t states) {
  const bool empty = size() == 0;
  shardBits_ = bitsFor(states);
  if (empty && shards_.size() >= shardCount()) return;
  std::vector<Map> before(shardCount());
  before.swap(shards_);
  for (const Map& shard : before) {
    for (const auto& entry : shard) shardOf(entry.second).insert(entry);
  }
}

std::size_t StateTable::size() const {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < shardCount(); ++i) sum += shards_[i].size();
  return sum;
}

bool StateTable::crowded() const {
  constexpr std::size_t kSample = 8;
  const std::size_t sampled = std::min(shardCount(), kSample);
  std::size_t sum = 0;
  for (std::size_t i = 0; i < sampled; ++i) sum += shards_[i].size();
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

// Returns how many states there are.
std::size_t StateTable::rankShards(TraceRecorder& recorder) {
  ranked_.resize(shardCount());
  const std::size_t total = size();
  forShards(total, recorder, [&](std::size_t i) {
    ranked_[i].clear();
    for (const auto& [hash, state] : shards_[i]) ranked_[i].push_back({state.score, &state});
    std::sort(ranked_[i].begin(), ranked_[i].end());
  });
  return total;
}

// Buckets of about equal size of the best of `total` states: those that can be kept, and a quarter
// as many, since a sample errs. All the others are one bucket.
std::vector<StateTable::Ranked> StateTable::splitters(std::size_t total) const {
  const std::size_t wanted = std::min(total, width_ + width_ / 4);
  const std::size_t count = std::clamp<std::size_t>(wanted / kStatesPerTask, 1, kMostBuckets);
  std::vector<Ranked> found;
  if (count == 1) return found;
  std::vector<Ranked> sample;
  const std::size_t stride = std::max<std::size_t>(1, wanted / (count * kSamplesPerBucket));
  std::size_t next = stride / 2;
  for (const auto& states : ranked_) {
    for (; next < states.size(); next += stride) sample.push_back(states[next]);
    next -= states.size();
  }
  const std::size_t used = std::min(sample.size(), wanted / stride);
  std::partial_sort(sample.begin(), sample.begin() + static_cast<std::ptrdiff_t>(used),
                    sample.end());
  for (std::size_t i = 1; i < count; ++i) found.push_back(sample[i * used / count]);
  if (wanted < total && used < sample.size()) found.push_back(sample[used - 1]);
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
    for (const auto& [hash, state] : shards_[i]) states.push_back({state.score, &state});
  }
  std::sort(states.begin(), states.end());
  for (std::size_t i = 0; i < best.size(); ++i) best[i] = *states[i].state;
  for (std::size_t i = 0; i < shardCount(); ++i) shards_[i].clear();
}

void StateTable::takeBest(std::vector<SearchState>& best, TraceRecorder& recorder) {
  const std::size_t total = size();
  best.resize(std::min(total, width_));
  threshold_ = std::numeric_limits<double>::infinity();
  if (total == 0) return;
  if (total <= kStatesPerTask) {
    takeFew(best);
    shardBits_ = std::min(shardBits_, bitsFor(total));
    return;
  }
  rankShards(recorder);
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
  forShards(total, recorder, [&](std::size_t i) { shards_[i].clear(); });
}

void StateTable::prune(TraceRecorder& recorder) {
  const std::size_t total = rankShards(recorder);
  if (total < width_) return;
  const Buckets buckets = cutBuckets(total, recorder);
  std::size_t last = 0;  // the bucket of the worst state that stays
  while (buckets.offsets[last + 1] < width_) ++last;
  const Ranked worst = sortedBucket(buckets, last)[width_ - 1 - buckets.offsets[last]];
  threshold_ = worst.score;
  recorder.serial(TraceKind::kReduction);
  forShards(total, recorder, [&](std::size_t i) {
    const auto end = std::upper_bound(ranked_[i].begin(), ranked_[i].end(), worst);
    std::for_each(end, ranked_[i].end(),
                  [&](const Ranked& ranked) { shards_[i].erase(ranked.state->hash); });
  });
}

}  // namespace tilebeam
