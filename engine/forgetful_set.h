// What has been found out and may be forgotten: a set of hashes that takes no more than a given
// space, since newer ones take the places of older ones.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tilebeam {

// 128 bits, as many as a ShapeDigest has and for the same reason.
struct ContentHash {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  // Of things in any order: the sum of their hashes.
  ContentHash& operator+=(const ContentHash& other) {
    low += other.low;
    high += other.high;
    return *this;
  }
  friend bool operator==(const ContentHash&, const ContentHash&) = default;
};

// Not thread-safe. Begins small, since most windows have few changes.
class ForgetfulSet {
 public:
  bool contains(const ContentHash& hash) const {
    return !places_.empty() && places_[placeOf(hash)] == hash;
  }
  // The hash 0, 0 is one that no content has.
  void add(const ContentHash& hash) {
    if (2 * added_ >= places_.size() && places_.size() < kMostPlaces) widen();
    places_[placeOf(hash)] = hash;
    ++added_;
  }

 private:
  // Powers of two.
  static constexpr std::size_t kFewestPlaces = std::size_t{1} << 9;
  static constexpr std::size_t kMostPlaces = std::size_t{1} << 15;

  void widen() {
    const std::vector<ContentHash> before = std::move(places_);
    places_.assign(std::max(kFewestPlaces, 4 * before.size()), {});
    for (const ContentHash& hash : before) {
      if (hash != ContentHash{}) places_[placeOf(hash)] = hash;
    }
  }

  std::size_t placeOf(const ContentHash& hash) const {
    return static_cast<std::size_t>(hash.low) & (places_.size() - 1);
  }

  std::vector<ContentHash> places_;
  std::size_t added_ = 0;
};

}  // namespace tilebeam
