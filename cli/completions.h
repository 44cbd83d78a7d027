// Completion scripts for shells, made from a command line's definition.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace tilebeam::cli {

// `shell` is bash, zsh or fish.
std::string completionScript(const CLI::App& program, const std::string& shell);

}  // namespace tilebeam::cli
