#include "cli/csv.h"

#include <algorithm>

#include "tilebeam/errors.h"

namespace tilebeam::cli {
namespace {

std::string quoted(const std::string& cell) {
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string text = "\"";
  for (const char c : cell) text.append(c == '"' ? 2 : 1, c);
  return text + '"';
}

class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : rest_(text) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
  }

  bool atEnd() const { return rest_.empty(); }

  CsvRow row() {
    CsvRow cells{cell()};
    while (take(',')) cells.push_back(cell());
    take('\r');
    take('\n');
    return cells;
  }

 private:
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  // Text after a closing quote is kept as it stands.
  std::string cell() {
    std::string text = take('"') ? quotedPart() : std::string();
    const std::size_t length = std::min(rest_.find_first_of(",\r\n"), rest_.size());
    text += rest_.substr(0, length);
    rest_.remove_prefix(length);
    return text;
  }

  std::string quotedPart() {
    std::string text;
    for (;;) {
      const std::size_t quote = rest_.find('"');
      if (quote == std::string_view::npos) throw InputError("a quoted cell does not end");
      text += rest_.substr(0, quote);
      rest_.remove_prefix(quote + 1);
      if (!take('"')) return text;
      text += '"';
    }
  }

  std::string_view rest_;
};

}  // namespace

std::string csvLine(const CsvRow& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) line += (i == 0 ? "" : ",") + quoted(cells[i]);
  return line + '\n';
}

std::vector<CsvRow> parseCsv(std::string_view text) {
  std::vector<CsvRow> rows;
  CsvReader reader(text);
  while (!reader.atEnd()) {
    CsvRow row = reader.row();
    if (row.size() > 1 || !row.front().empty()) rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace tilebeam::cli
