#include "cli/markup.h"

#include "cli/text_table.h"
#include "cli/utf8.h"

namespace tilebeam::cli {

std::string xmlEscaped(std::string_view text) {
  std::string safe;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

std::string xmlAttribute(const char* name, double value) {
  return std::string(" ") + name + "=\"" + formatFixed(value, 1) + "\"";
}

std::string replacedAll(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
    at += to.size();
  }
  return text;
}

}  // namespace tilebeam::cli
