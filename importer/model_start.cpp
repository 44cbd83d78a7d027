#include "importer/model_start.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "tilebeam/errors.h"

namespace tilebeam::importer {
namespace {

// Of protobuf's encoding; the fields of a model are of these two types.
enum WireType : std::uint64_t { kVarint = 0, kLengthDelimited = 2 };

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 31;  // in a message
constexpr std::uint64_t kMostFields = 64;                     // of a model; there are up to 26

// A number in groups of seven bits, the lowest first; none if it does not end.
std::optional<std::uint64_t> takeVarint(std::string_view& bytes) {
  constexpr int kMostBits = 63;
  std::uint64_t value = 0;
  for (int shift = 0; shift <= kMostBits && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if ((byte & 0x80U) == 0) return value;
  }
  return std::nullopt;
}

// Bytes of a field's value behind its tag and what tells its length; none if no model has it.
std::optional<std::uint64_t> takeLength(std::string_view& bytes, std::uint64_t tag) {
  const std::uint64_t field = tag >> 3;
  const std::uint64_t wireType = tag & 7U;
  if (field == 0 || field >= kMostFields) return std::nullopt;
  if (wireType != kVarint && wireType != kLengthDelimited) return std::nullopt;
  const auto number = takeVarint(bytes);
  if (number && wireType == kVarint) return 0;
  return number;
}

}  // namespace

// Goes from field to field. A message has no mark at its beginning.
bool beginsModel(std::string_view start, std::size_t /*seen*/) {
  constexpr std::size_t kLongestNumber = 10;
  // What is cut off in the midst of a field is no fault.
  while (start.size() >= 2 * kLongestNumber) {
    const auto tag = takeVarint(start);
    const auto length = tag ? takeLength(start, *tag) : std::nullopt;
    if (!length || *length > kMostBytes) throw InputError("not an ONNX model");
    start.remove_prefix(std::min<std::uint64_t>(*length, start.size()));
  }
  return true;
}

}  // namespace tilebeam::importer
