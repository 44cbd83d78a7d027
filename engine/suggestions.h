// Sets of ops that the beam asked for and the pool does not hold: what is left of a candidate when
// some of its ops are covered already. They join the pool before the beam runs again.
//
// There may be ten thousand of them, and one thread takes them all; so what a worker has met lies
// in few pieces of memory.
#pragma once

#include <oneapi/tbb/enumerable_thread_specific.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tilebeam/id.h"

namespace tilebeam {

// Sets of ops, one after the other.
class SuggestedSets {
 public:
  void add(std::span<const OpId> ops) {
    ops_.insert(ops_.end(), ops.begin(), ops.end());
    ends_.push_back(ops_.size());
  }
  std::size_t size() const { return ends_.size(); }
  std::span<const OpId> operator[](std::size_t set) const {
    const std::size_t begin = set == 0 ? 0 : ends_[set - 1];
    return std::span(ops_).subspan(begin, ends_[set] - begin);
  }

 private:
  std::vector<OpId> ops_;
  std::vector<std::size_t> ends_;  // of each set
};

class Suggestions {
 public:
  // `ops` in topological order, `hash` of the set, which the worker has not added yet. From any
  // worker.
  void add(std::uint64_t hash, std::span<const OpId> ops) { met_.local().add(hash, ops); }
  bool has(std::uint64_t hash) { return met_.local().has(hash); }

  // The sets that each worker met; empty afterwards. While no worker adds.
  std::vector<SuggestedSets> take();

 private:
  // Of one worker.
  class Met {
   public:
    bool has(std::uint64_t hash) const;
    void add(std::uint64_t hash, std::span<const OpId> ops);
    SuggestedSets take();

   private:
    std::size_t slotOf(std::uint64_t hash) const;
    void widen();

    SuggestedSets sets_;
    std::vector<std::uint64_t> hashes_;  // 0: none; a power of two, at least twice as many as sets
  };

  oneapi::tbb::enumerable_thread_specific<Met> met_;
};

}  // namespace tilebeam
