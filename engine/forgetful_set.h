// What has been found out and may be forgotten: a set of hashes that takes no more than a given
// space, since newer ones take the places of older ones.
#pragma once

#include <cstddef>
#include <cstdint>
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

// Not thread-safe; takes no space before the first hash comes.
class ForgetfulSet {
 public:
  bool contains(const ContentHash& hash) const {
    return !places_.empty() && places_[placeOf(hash)] == hash;
  }
  // The hash 0, 0 is one that no content has.
  void add(const ContentHash& hash) {
    if (places_.empty()) places_.resize(kPlaces);
    places_[placeOf(hash)] = hash;
  }

 private:
  static constexpr std::size_t kPlaces = std::size_t{1} << 15;

  static std::size_t placeOf(const ContentHash& hash) {
    return static_cast<std::size_t>(hash.low) % kPlaces;
  }

  std::vector<ContentHash> places_;
};

}  // namespace tilebeam
