// A set of ops that stand within kMaxWindow positions.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstdint>

#include "engine/limits.h"

namespace tilebeam {

// Offsets of positions from where the window begins.
class PositionSet {
 public:
  void add(std::size_t offset) {
    assert(offset < kMaxWindow);
    words_[offset / 64] |= std::uint64_t{1} << (offset % 64);
  }
  void remove(std::size_t offset) { words_[offset / 64] &= ~(std::uint64_t{1} << (offset % 64)); }

  void add(const PositionSet& other) {
    for (std::size_t i = 0; i < kWords; ++i) words_[i] |= other.words_[i];
  }
  void remove(const PositionSet& other) {
    for (std::size_t i = 0; i < kWords; ++i) words_[i] &= ~other.words_[i];
  }
  void intersect(const PositionSet& other) {
    for (std::size_t i = 0; i < kWords; ++i) words_[i] &= other.words_[i];
  }

  bool empty() const {
    return std::all_of(words_.begin(), words_.end(), [](std::uint64_t w) { return w == 0; });
  }
  bool meets(const PositionSet& other) const {
    std::uint64_t common = 0;
    for (std::size_t i = 0; i < kWords; ++i) common |= words_[i] & other.words_[i];
    return common != 0;
  }

  // Of a set that is not empty.
  std::size_t first() const {
    std::size_t i = 0;
    while (words_[i] == 0) ++i;
    return 64 * i + static_cast<std::size_t>(std::countr_zero(words_[i]));
  }

 private:
  static constexpr std::size_t kWords = kMaxWindow / 64;
  std::array<std::uint64_t, kWords> words_{};
};

}  // namespace tilebeam
