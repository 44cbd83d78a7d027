#include "cli/text_table.h"

#include <algorithm>
#include <cstdio>

#include "cli/utf8.h"

namespace tilebeam::cli {
namespace {

// The longest is a fixed number of 309 digits before the point.
constexpr std::size_t kMaxLength = 400;

}  // namespace

std::string formatNumber(double value) {
  char buffer[kMaxLength];
  std::snprintf(buffer, sizeof buffer, "%.12g", value);
  return buffer;
}

std::string formatFixed(double value, int decimals) {
  char buffer[kMaxLength];
  std::snprintf(buffer, sizeof buffer, "%.*f", decimals, value);
  return buffer;
}

std::string TextTable::text() const {
  std::vector<std::size_t> widths(rows_.front().size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      widths[c] = std::max(widths[c], characterCount(row[c]));
    }
  }
  std::string text;
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (c > 0) text += "  ";
      text.append(widths[c] - characterCount(row[c]), ' ').append(row[c]);
    }
    text += '\n';
  }
  return text;
}

}  // namespace tilebeam::cli
