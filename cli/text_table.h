// Numbers and tables for people.
#pragma once

#include <string>
#include <vector>

namespace tilebeam::cli {

// Twelve significant digits at most, no trailing zeros.
std::string formatNumber(double value);
std::string formatFixed(double value, int decimals);

// The first few of `ids`, and how many there are if that is not all; "-" if there are none.
template <class Ids>
std::string formatIds(const Ids& ids) {
  constexpr std::size_t kShown = 8;
  if (ids.empty()) return "-";
  std::string text;
  for (std::size_t i = 0; i < ids.size() && i < kShown; ++i) {
    text += (i == 0 ? "" : ",") + std::to_string(ids[i].value());
  }
  if (ids.size() > kShown) text += ",... (" + std::to_string(ids.size()) + ")";
  return text;
}

// Columns as wide as their widest cell, aligned to the right.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) { rows_.push_back(std::move(header)); }
  void addRow(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace tilebeam::cli
