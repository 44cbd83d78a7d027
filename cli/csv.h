// Comma-separated values as RFC 4180 has them: quotes around cells that need them, doubled within.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tilebeam::cli {

using CsvRow = std::vector<std::string>;

struct CsvLine {
  std::size_t number;  // in the file, from 1
  CsvRow cells;
};

// Valid UTF-8, whatever the cells hold.
std::string csvLine(const CsvRow& cells);

// Lines may end with CR LF; blank ones are left out. Throws InputError that names the line of a
// quoted cell that never ends, or goes on behind its closing quote.
std::vector<CsvLine> parseCsv(std::string_view text);

}  // namespace tilebeam::cli
