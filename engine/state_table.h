// The states of equal progress: as many covered ops. Equal states are recombined as they come in,
// from any number of workers; the best of them form the beam.
//
// Each worker of the arena has a lane of its own to put states in, so that they share nothing while
// they do; the lanes are joined when the table is reduced. A state as good as one in another lane
// is the same in both, so what comes of it does not hang on who found it.
#pragma once

#include <oneapi/tbb/task_arena.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "engine/state_map.h"
#include "engine/trace_recorder.h"

namespace tilebeam {

class StateTable {
 public:
  // Of its states at most `width`, at least 1, are ever taken. Made within the arena whose workers
  // offer states.
  explicit StateTable(std::size_t width);

  // Keeps the better of `state` and its equal. Returns whether this worker had offered an equal one
  // before. States are told apart by their 64-bit Zobrist hashes: a collision would lose a state,
  // never a schedule's validity, and is not to be expected below 2^30 states.
  bool offer(const SearchState& state) {
    const int worker = oneapi::tbb::this_task_arena::current_thread_index();
    Lane& lane = lanes_[worker > 0 ? static_cast<std::size_t>(worker) : 0];
    if (lane.size() < shardCount()) lane.resize(shardCount());
    return lane[shardOf(state)].offer(state);
  }

  // About so many states, at most the width, are wanted from now on: with many, more workers can
  // take part. Not while states are offered.
  bool isNarrowFor(std::size_t states) const { return bitsFor(states) > shardBits_ + 1; }
  void widenFor(std::size_t states);

  // No state with a greater score can be among the best any more. Constant while states are
  // offered.
  double threshold() const { return threshold_; }

  // Neither of these while states are offered. What several workers found counts for each.
  std::size_t size() const;
  bool crowded() const;  // with several times the width, as an estimate from some of the shards

  // Replaces `best` by the best states, best first. What is left of them is to be cleared away, in
  // so many parts as clearings() says, before the table is used again. Not while states are
  // offered.
  void chooseBest(std::vector<SearchState>& best, TraceRecorder& recorder = TraceRecorder::none());
  std::size_t clearings() const;  // none if nothing is left
  void clear(std::size_t part);   // any at once
  void cleared() { left_ = 0; }

  // The same, and clears at once; the table is as new then.
  void takeBest(std::vector<SearchState>& best, TraceRecorder& recorder = TraceRecorder::none());

  // Forgets all but the best states. Not while states are offered.
  void prune(TraceRecorder& recorder = TraceRecorder::none());

 private:
  // The states by the first bits of their hashes, so that several workers can take part in a
  // reduction. Those beyond shardCount() are empty. Wide tables with few states have few shards,
  // for each costs time in every reduction.
  using Lane = std::vector<StateMap>;

  // Mostly the score decides, so that states need not be fetched to be ranked.
  struct Ranked {
    double score;
    const SearchState* state;

    bool operator<(const Ranked& other) const {
      return score != other.score ? score < other.score : state->betterThan(*other.state);
    }
  };

  // All states in the order of their ranks, cut into buckets.
  struct Buckets {
    std::vector<Ranked> splitters;     // the first state of each bucket but the first
    std::vector<std::size_t> offsets;  // of each bucket's states among all; then their number

    std::size_t count() const { return offsets.size() - 1; }
  };

  std::size_t shardOf(const SearchState& state) const {
    return shardBits_ == 0 ? 0 : state.hash >> (64 - shardBits_);
  }
  int bitsFor(std::size_t states) const;
  std::size_t shardCount() const { return std::size_t{1} << shardBits_; }
  StateMap& joinLanes(std::size_t shard);
  std::size_t rankShards(TraceRecorder& recorder);
  void takeFew(std::vector<SearchState>& best);
  Buckets cutBuckets(std::size_t total, TraceRecorder& recorder);
  std::size_t wanted(std::size_t total) const;
  std::size_t bucketsOf(std::size_t total) const;
  std::size_t strideOf(std::size_t total) const;
  void takeSample(std::size_t shard, std::size_t stride);
  std::vector<Ranked> splitters(std::size_t total) const;
  std::vector<Ranked> sortedBucket(const Buckets& buckets, std::size_t bucket) const;

  template <class Visit>
  void forShards(std::size_t total, TraceRecorder& recorder, const Visit& visit);

  std::size_t width_;
  int shardBits_ = 0;
  std::vector<Lane> lanes_;  // by worker; the first holds all once they are joined
  double threshold_ = std::numeric_limits<double>::infinity();
  std::size_t left_ = 0;  // states that have been chosen from and not cleared away yet
  // Of each shard, while the table is being reduced: its states in order, some of them as a sample,
  // and where each bucket begins among them.
  std::vector<std::vector<Ranked>> ranked_;
  std::vector<std::vector<Ranked>> samples_;
  std::size_t stride_ = 1;  // of the sample
  std::vector<std::vector<std::uint32_t>> begins_;
};

}  // namespace tilebeam
