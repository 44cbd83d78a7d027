// A command line's definition, as what describes it (manual page, completions) needs it.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace tilebeam::cli {

// Without what is hidden.
std::vector<const CLI::App*> commandsOf(const CLI::App& app);
std::vector<const CLI::Option*> optionsOf(const CLI::App& app);    // -o, --output
std::vector<const CLI::Option*> argumentsOf(const CLI::App& app);  // PROBLEM

// "-o", "--output"
std::vector<std::string> flagsOf(const CLI::Option& option);

// What an option takes, "FILE"; "" if it takes nothing.
std::string valueOf(const CLI::Option& option);

// The values that it takes, if they are few and known: "native", "full".
std::vector<std::string> choicesOf(const CLI::Option& option);

}  // namespace tilebeam::cli
