// Text and numbers inside SVG, HTML and the like.
#pragma once

#include <string>
#include <string_view>

namespace tilebeam::cli {

// `text`, printable (utf8.h), for the content and the quoted attributes of XML and HTML.
std::string xmlEscaped(std::string_view text);

// ` name="value"`, to one decimal.
std::string xmlAttribute(const char* name, double value);

// `text` with every `from` in it replaced.
std::string replacedAll(std::string text, std::string_view from, std::string_view to);

}  // namespace tilebeam::cli
