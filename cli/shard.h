// The part of a suite that one of several programs does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tilebeam::cli {

struct Shard {
  std::int64_t index = 1;  // from 1
  std::int64_t count = 1;
};

// "2/8", or "auto": what the launcher says through the environment, be it Open MPI, another MPI or
// a Slurm array (docs/many-machines.md). Throws Failure(kWrongUsage).
Shard parseShard(const std::string& text);

// Every count-th entry, from the index-th on.
template <class T>
std::vector<T> takeShard(const std::vector<T>& all, const Shard& shard) {
  std::vector<T> part;
  const auto stride = static_cast<std::size_t>(shard.count);
  for (auto i = static_cast<std::size_t>(shard.index - 1); i < all.size(); i += stride) {
    part.push_back(all[i]);
  }
  return part;
}

}  // namespace tilebeam::cli
