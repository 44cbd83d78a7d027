// Sets of ops that the beam asked for and the pool does not hold: what is left of a candidate when
// some of its ops are covered already. They join the pool before the beam runs again.
#pragma once

#include <oneapi/tbb/enumerable_thread_specific.h>

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "tilebeam/id.h"

namespace tilebeam {

class Suggestions {
 public:
  // `ops` in topological order, `hash` of the set. From any worker.
  void add(std::uint64_t hash, std::vector<OpId> ops) {
    sets_.local().emplace(hash, std::move(ops));
  }
  bool has(std::uint64_t hash) { return sets_.local().contains(hash); }

  // All sets, once for each worker that met them, in any order; empty afterwards. While no worker
  // adds.
  std::vector<std::vector<OpId>> take();

 private:
  using Sets = std::unordered_map<std::uint64_t, std::vector<OpId>>;
  oneapi::tbb::enumerable_thread_specific<Sets> sets_;
};

}  // namespace tilebeam
