// Text that may hold any bytes, as names of files do, made fit to be shown.
#pragma once

#include <string>
#include <string_view>

namespace tilebeam::cli {

// Replaces control characters, and bytes that are no UTF-8, by '?'. Needs no memory.
void makePrintable(std::string& text) noexcept;

// The same, of a copy.
std::string printable(std::string_view text);

// Bytes that are no UTF-8 become "\xFE" and the like, so that different names stay different.
std::string withBytesEscaped(std::string_view text);

// How many characters `text` has.
std::size_t characterCount(std::string_view text);

}  // namespace tilebeam::cli
