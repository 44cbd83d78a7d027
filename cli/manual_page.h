// A program's manual page, made from its command line's definition, so that the two cannot differ.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace tilebeam::cli {

// In the man macros of roff.
std::string manualPage(const CLI::App& program);

}  // namespace tilebeam::cli
