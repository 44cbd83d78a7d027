#include "engine/state_table.h"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_sort.h>

#include <algorithm>

namespace tilebeam {
namespace {

// Calls `visit` for each number below `count`, on all workers.
template <class Visit>
void parallelTasks(std::size_t count, TraceRecorder& recorder, const Visit& visit) {
  TracePhase* const phase = recorder.beginTasks(TraceKind::kReduction, count);
  oneapi::tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) {
    const TaskTimer timer(phase, i);
    visit(i);
  });
  recorder.endTasks();
}

}  // namespace

// Mostly the score decides, so that states need not be fetched to be ranked.
struct StateTable::Ranked {
  double score;
  const SearchState* state;

  bool operator<(const Ranked& other) const {
    return score != other.score ? score < other.score : state->betterThan(*other.state);
  }
};

std::vector<StateTable::Ranked> StateTable::rank(TraceRecorder& recorder) const {
  std::array<std::vector<Ranked>, std::tuple_size_v<decltype(shards_)>> parts;
  parallelTasks(shards_.size(), recorder, [&](std::size_t i) {
    parts[i].reserve(shards_[i].size());
    for (const auto& [hash, state] : shards_[i]) parts[i].push_back({state.score, &state});
  });
  std::vector<Ranked> all;
  all.reserve(size());
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

void StateTable::clear(TraceRecorder& recorder) {
  parallelTasks(shards_.size(), recorder, [&](std::size_t i) { shards_[i].clear(); });
}

std::vector<SearchState> StateTable::takeBest(std::size_t width, TraceRecorder& recorder) {
  std::vector<SearchState> best;
  if (size() == 0) return best;
  // The maps' order hangs on timing; betterThan() is a total order on content, so what is selected
  // and how it is sorted does not.
  std::vector<Ranked> order = rank(recorder);
  if (order.size() > width) {
    std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(width),
                     order.end());
    order.resize(width);
  }
  oneapi::tbb::parallel_sort(order.begin(), order.end());
  best.reserve(order.size());
  for (const Ranked& ranked : order) best.push_back(*ranked.state);
  clear(recorder);
  return best;
}

void StateTable::prune(std::size_t width) {
  const std::vector<SearchState> best = takeBest(width);
  for (const SearchState& state : best) shardOf(state).insert({state.hash, state});
  if (best.size() == width) threshold_ = best.back().score;
}

}  // namespace tilebeam
