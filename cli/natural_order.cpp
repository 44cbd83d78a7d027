#include "cli/natural_order.h"

#include <algorithm>
#include <compare>

namespace tilebeam::cli {
namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }

// The first character, or the whole run of digits that `text` starts with.
std::string_view firstToken(std::string_view text) {
  if (!isDigit(text.front())) return text.substr(0, 1);
  const auto end = std::find_if_not(text.begin(), text.end(), isDigit);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

std::strong_ordering compareNumbers(std::string_view a, std::string_view b) {
  a.remove_prefix(std::min(a.find_first_not_of('0'), a.size()));
  b.remove_prefix(std::min(b.find_first_not_of('0'), b.size()));
  return a.size() != b.size() ? a.size() <=> b.size() : a <=> b;
}

std::strong_ordering compareTokens(std::string_view a, std::string_view b) {
  return isDigit(a.front()) && isDigit(b.front()) ? compareNumbers(a, b) : a <=> b;
}

}  // namespace

bool naturallyLess(std::string_view a, std::string_view b) {
  std::string_view restA = a;
  std::string_view restB = b;
  while (!restA.empty() && !restB.empty()) {
    const std::string_view tokenA = firstToken(restA);
    const std::string_view tokenB = firstToken(restB);
    const auto order = compareTokens(tokenA, tokenB);
    if (order != 0) return order < 0;
    restA.remove_prefix(tokenA.size());
    restB.remove_prefix(tokenB.size());
  }
  if (restA.empty() != restB.empty()) return restA.empty();
  return a < b;  // "1" and "01"
}

}  // namespace tilebeam::cli
