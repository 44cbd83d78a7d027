#include "cli/csv.h"

#include <algorithm>
#include <cstddef>

#include "cli/utf8.h"
#include "tilebeam/errors.h"

namespace tilebeam::cli {
namespace {

bool isNewline(char c) { return c == '\n'; }

std::string quoted(const std::string& cell) {
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string text = "\"";
  for (const char c : cell) text.append(c == '"' ? 2 : 1, c);
  return text + '"';
}

class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : rest_(text) {}

  bool atEnd() const { return rest_.empty(); }

  CsvLine line() {
    CsvLine line{number_, {cell()}};
    while (take(',')) line.cells.push_back(cell());
    take('\r');
    take('\n');
    ++number_;
    return line;
  }

 private:
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::string cell() {
    const std::size_t line = number_;
    if (take('"')) return quotedCell(line);
    const std::size_t length = lengthOfPlainText();
    std::string text(rest_.substr(0, length));
    rest_.remove_prefix(length);
    return text;
  }

  std::size_t lengthOfPlainText() const {
    return std::min(rest_.find_first_of(",\r\n"), rest_.size());
  }

  std::string quotedCell(std::size_t line) {
    std::string text = quotedPart(line);
    if (lengthOfPlainText() == 0) return text;
    throw InputError("line " + std::to_string(number_) + ": text behind a closing quote");
  }

  std::string quotedPart(std::size_t line) {
    std::string text;
    for (;;) {
      const std::size_t quote = rest_.find('"');
      if (quote == std::string_view::npos) {
        throw InputError("line " + std::to_string(line) + ": a quoted cell does not end");
      }
      text += rest_.substr(0, quote);
      number_ += static_cast<std::size_t>(std::count_if(
          rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(quote), isNewline));
      rest_.remove_prefix(quote + 1);
      if (!take('"')) return text;
      text += '"';
    }
  }

  std::string_view rest_;
  std::size_t number_ = 1;  // of the line that comes
};

}  // namespace

std::string csvLine(const CsvRow& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i)
    line += (i == 0 ? "" : ",") + quoted(withBytesEscaped(cells[i]));
  return line + '\n';
}

std::vector<CsvLine> parseCsv(std::string_view text) {
  std::vector<CsvLine> lines;
  CsvReader reader(text);
  while (!reader.atEnd()) {
    CsvLine line = reader.line();
    if (line.cells.size() > 1 || !line.cells.front().empty()) lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace tilebeam::cli
