#include "cli/result_files.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <set>
#include <string_view>

#include "cli/csv.h"
#include "cli/json_values.h"
#include "cli/row_json.h"
#include "cli/streams.h"
#include "simulator/json_text.h"
#include "simulator/json_tree.h"
#include "tilebeam/errors.h"
#include "tilebeam/json_io.h"

namespace tilebeam::cli {
namespace {

bool isText(std::string_view column) {
  return column == "problem" || column == "status" || column == "error";
}

std::string csvCell(const Json& value) {
  if (value.is_null()) return {};
  return value.is_string() ? value.get<std::string>() : dumpLine(value);
}

Json jsonOfCell(std::string_view column, const std::string& cell) {
  if (cell.empty()) return nullptr;
  if (isText(column)) return cell;
  double number = 0;
  const char* const end = cell.data() + cell.size();
  const auto [stop, error] = std::from_chars(cell.data(), end, number);
  if (error != std::errc() || stop != end) {
    throw InputError(std::string(column) + " must be a number, not " + cell);
  }
  return number;
}

CsvRow columnNames() {
  CsvRow names;
  const Json row = rowJson({});
  for (const auto& [key, value] : row.items()) names.push_back(key);
  return names;
}

// Columns that are not ours are ignored.
Json jsonOfCells(const CsvRow& header, const CsvRow& cells) {
  static const CsvRow known = columnNames();
  if (cells.size() != header.size()) {
    throw InputError(std::to_string(cells.size()) + " cells where there should be " +
                     std::to_string(header.size()));
  }
  Json row = Json::object();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (std::find(known.begin(), known.end(), header[i]) == known.end()) continue;
    row[header[i]] = jsonOfCell(header[i], cells[i]);
  }
  return row;
}

template <class Convert>
SuiteRow convertRow(const std::string& place, Convert convert) {
  try {
    return convert();
  } catch (const InputError& error) {
    throw InputError(place + ": " + error.what());
  }
}

std::vector<SuiteRow> rowsOfCsv(std::string_view text) {
  std::vector<CsvLine> lines = parseCsv(text);
  const auto names = [](const CsvRow& cells, const char* column) {
    return std::find(cells.begin(), cells.end(), column) != cells.end();
  };
  // Lists made by hand go without a header.
  if (lines.empty() || !names(lines.front().cells, "problem")) {
    lines.insert(lines.begin(), {0, {"problem", "latency"}});
  }
  const CsvRow& header = lines.front().cells;
  for (auto name = header.begin(); name != header.end(); ++name) {
    if (!name->empty() && std::find(header.begin(), name, *name) != name) {
      throw InputError("the column " + *name + " stands twice");
    }
  }
  if (!names(header, "latency")) throw InputError("no column latency");
  std::vector<SuiteRow> rows;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    rows.push_back(convertRow("line " + std::to_string(lines[i].number),
                              [&] { return rowOfJson(jsonOfCells(header, lines[i].cells)); }));
  }
  return rows;
}

std::vector<SuiteRow> rowsOfJson(std::string_view text) {
  const Json json = json::readTree(text);
  const auto list = json.find("problems");
  if (list == json.end() || !list->is_array()) throw InputError("problems: must be a list");
  std::vector<SuiteRow> rows;
  for (const Json& entry : *list) {
    rows.push_back(
        convertRow("row " + std::to_string(rows.size() + 1), [&] { return rowOfJson(entry); }));
  }
  return rows;
}

std::string_view withoutMark(std::string_view text) {
  if (text.starts_with(json::kByteOrderMark)) text.remove_prefix(json::kByteOrderMark.size());
  return text;
}

constexpr const char* kBlanks = " \t\r\n";

bool startsJson(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  return first != std::string_view::npos && text[first] == '{';
}

std::vector<SuiteRow> rowsOf(std::string_view marked) {
  const std::string_view text = withoutMark(marked);
  if (text.find_first_not_of(kBlanks) == std::string_view::npos) {
    throw InputError("the file is empty");
  }
  return startsJson(text) ? rowsOfJson(text) : rowsOfCsv(text);
}

// An endless stream, say /dev/zero, has no first line, or one that is no CSV.
bool beginsResults(std::string_view marked, std::size_t) {
  constexpr std::size_t kLongestLine = std::size_t{1} << 16;
  const std::string_view start = withoutMark(marked);
  if (startsJson(start)) return true;
  if (start.find('\0') != std::string_view::npos) throw InputError("neither CSV nor JSON");
  const std::size_t first = start.find_first_not_of(kBlanks);
  const std::size_t end = first < start.size() ? start.find('\n', first) : first;
  const std::string_view line = start.substr(0, end);
  const bool quoteOpen = std::count(line.begin(), line.end(), '"') % 2 != 0;
  if (end == std::string_view::npos || quoteOpen) {
    if (start.size() < kLongestLine) return false;
    throw InputError("neither CSV nor JSON: no line ends in the first 64 KiB");
  }
  rowsOf(line);  // says what is wrong with it
  return true;
}

void requireDistinctNames(const std::vector<SuiteRow>& rows) {
  std::set<std::string_view> names;
  for (const SuiteRow& row : rows) {
    if (!names.insert(row.problem).second) throw InputError(row.problem + " stands in it twice");
  }
}

}  // namespace

std::string resultsCsv(const std::vector<SuiteRow>& rows) {
  std::string text = csvLine(columnNames());
  for (const SuiteRow& row : rows) {
    CsvRow cells;
    const Json json = rowJson(row);
    for (const Json& value : json) cells.push_back(csvCell(value));
    text += csvLine(cells);
  }
  return text;
}

std::string resultsJson(const std::vector<SuiteRow>& rows,
                        const std::vector<std::string>& arguments) {
  Json list = Json::array();
  for (const SuiteRow& row : rows) list.push_back(rowJson(row));
  const auto solved =
      std::count_if(rows.begin(), rows.end(), [](const SuiteRow& row) { return row.solved(); });
  const auto total = score(rows);
  return dumpObject({{"version", TILEBEAM_VERSION},
                     {"arguments", arguments},
                     {"solved", solved},
                     {"failed", static_cast<std::ptrdiff_t>(rows.size()) - solved},
                     {"score", total ? jsonNumber(total->mean) : Json(nullptr)},
                     {"problems", std::move(list)}});
}

std::vector<SuiteRow> loadResults(const std::string& path) {
  return readInput(path, kLargestText, beginsResults, [](const std::string& text) {
    std::vector<SuiteRow> rows = rowsOf(text);
    requireDistinctNames(rows);
    return rows;
  });
}

bool isProgramOutput(const std::string& path) {
  // By the first key, as the program writes them; a problem may have keys of its own beside its
  // widths.
  std::string start(256, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  std::erase_if(start, [](char c) { return c == ' ' || c == '\n' || c == '\r'; });
  if (start.starts_with("{\"subgraphs\":")) return true;
  if (!start.starts_with("{\"version\":")) return false;
  file.clear();
  file.seekg(0);
  const Json json = Json::parse(file, nullptr, false);
  return json.is_object() && json.contains("arguments") && !json.contains("widths");
}

void saveResults(const ResultPaths& paths, const std::vector<SuiteRow>& rows,
                 const std::vector<std::string>& arguments) {
  if (!paths.csv.empty()) saveFile(paths.csv, resultsCsv(rows));
  if (!paths.json.empty()) saveFile(paths.json, resultsJson(rows, arguments));
}

}  // namespace tilebeam::cli
