// The files under cli/render, which the build puts into the program (cmake/EmbedFiles.cmake).
#pragma once

#include <string_view>

namespace tilebeam::cli {

extern const std::string_view kPageHtml;
extern const std::string_view kPageStyle;
extern const std::string_view kPageScript;

}  // namespace tilebeam::cli
