#include "engine/suggestions.h"

#include <algorithm>
#include <utility>

namespace tilebeam {
namespace {

constexpr std::size_t kFewestSlots = 64;

// 0 stands for none.
std::uint64_t keyOf(std::uint64_t hash) { return hash != 0 ? hash : 1; }

}  // namespace

std::vector<SuggestedSets> Suggestions::take() {
  std::vector<SuggestedSets> all;
  for (Met& met : met_) all.push_back(met.take());
  return all;
}

bool Suggestions::Met::has(std::uint64_t hash) const {
  return !hashes_.empty() && hashes_[slotOf(keyOf(hash))] != 0;
}

void Suggestions::Met::add(std::uint64_t hash, std::span<const OpId> ops) {
  if (2 * sets_.size() >= hashes_.size()) widen();
  hashes_[slotOf(keyOf(hash))] = keyOf(hash);
  sets_.add(ops);
}

SuggestedSets Suggestions::Met::take() {
  hashes_.clear();
  return std::exchange(sets_, {});
}

// Where the hash is, or the empty slot where it belongs.
std::size_t Suggestions::Met::slotOf(std::uint64_t hash) const {
  const std::size_t mask = hashes_.size() - 1;
  std::size_t i = hash & mask;
  while (hashes_[i] != 0 && hashes_[i] != hash) i = (i + 1) & mask;
  return i;
}

void Suggestions::Met::widen() {
  const std::vector<std::uint64_t> before = std::exchange(
      hashes_, std::vector<std::uint64_t>(std::max(kFewestSlots, 2 * hashes_.size())));
  for (const std::uint64_t hash : before) {
    if (hash != 0) hashes_[slotOf(hash)] = hash;
  }
}

}  // namespace tilebeam
