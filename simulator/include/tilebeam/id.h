// Typed indices. An OpId is never a TensorId, and neither is a bare int.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace tilebeam {

// An index into one of the problem's lists. Default-constructed ids are invalid (-1).
template <class Tag>
class Id {
 public:
  constexpr Id() = default;
  constexpr explicit Id(std::int32_t value) : value_(value) {}
  static constexpr Id fromIndex(std::size_t index) { return Id(static_cast<std::int32_t>(index)); }

  constexpr std::int32_t value() const { return value_; }
  constexpr std::size_t index() const { return static_cast<std::size_t>(value_); }
  constexpr bool valid() const { return value_ >= 0; }

  friend constexpr auto operator<=>(Id, Id) = default;

 private:
  std::int32_t value_ = -1;
};

using OpId = Id<struct OpTag>;
using TensorId = Id<struct TensorTag>;

}  // namespace tilebeam

template <class Tag>
struct std::hash<tilebeam::Id<Tag>> {
  std::size_t operator()(tilebeam::Id<Tag> id) const noexcept {
    return std::hash<std::int32_t>{}(id.value());
  }
};
