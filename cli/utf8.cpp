#include "cli/utf8.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace tilebeam::cli {
namespace {

std::uint32_t byteOf(char c) { return static_cast<unsigned char>(c); }

// Bytes of the character that `text` begins with; 0 if it begins with none.
std::size_t sequenceLength(std::string_view text) noexcept {
  const std::uint32_t first = byteOf(text.front());
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  std::uint32_t point = first & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byteOf(text[i]) & 0xC0U) != 0x80U) return 0;
    point = (point << 6) | (byteOf(text[i]) & 0x3FU);
  }
  const bool tooLong = (length == 3 && point < 0x800) || (length == 4 && point < 0x10000);
  const bool surrogate = point >= 0xD800 && point <= 0xDFFF;
  return tooLong || surrogate || point > 0x10FFFF ? 0 : length;
}

bool isControl(char c) { return byteOf(c) < 0x20 || byteOf(c) == 0x7F; }

}  // namespace

void makePrintable(std::string& text) noexcept {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequenceLength(std::string_view(text).substr(at));
    if (length == 0 || isControl(text[at])) text[at] = '?';
    at += std::max<std::size_t>(length, 1);
  }
}

std::string printable(std::string_view text) {
  std::string copy(text);
  makePrintable(copy);
  return copy;
}

std::string withBytesEscaped(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string result;
  while (!text.empty()) {
    const std::size_t length = sequenceLength(text);
    if (length > 0) {
      result += text.substr(0, length);
    } else {
      const std::uint32_t byte = byteOf(text.front());
      result.append("\\x").append({kDigits[byte >> 4], kDigits[byte & 0xFU]});
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

std::size_t characterCount(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (byteOf(c) & 0xC0U) != 0x80U; }));
}

}  // namespace tilebeam::cli
