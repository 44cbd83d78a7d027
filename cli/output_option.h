// Options that name a file to write.
#pragma once

#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace tilebeam::cli {

// "-" is standard output.
CLI::Option* addOutputOption(CLI::App& command, const std::string& flags, std::string& path,
                             const std::string& help);

}  // namespace tilebeam::cli
