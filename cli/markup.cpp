#include "cli/markup.h"

#include <algorithm>

#include "cli/json_values.h"
#include "cli/text_table.h"

namespace tilebeam::cli {

std::string plainText(std::string_view text) {
  std::string printable(text);
  const auto isControl = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  std::replace_if(printable.begin(), printable.end(), isControl, '?');
  // The JSON library knows what UTF-8 is.
  const std::string valid = Json::parse(dumpLine(Json(printable))).get<std::string>();
  return replacedAll(valid, "\xEF\xBF\xBD", "?");
}

std::string xmlEscaped(std::string_view text) {
  std::string safe;
  for (const char c : plainText(text)) {
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
