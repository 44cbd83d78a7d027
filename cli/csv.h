// Comma-separated values as RFC 4180 has them: quotes around cells that need them, doubled within.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilebeam::cli {

using CsvRow = std::vector<std::string>;

std::string csvLine(const CsvRow& cells);

// Lines may end with CR LF; blank ones are left out, and so is the byte order mark that
// spreadsheets put first. Throws InputError for a quote that never ends.
std::vector<CsvRow> parseCsv(std::string_view text);

}  // namespace tilebeam::cli
