#include "cli/command_tree.h"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace tilebeam::cli {

std::vector<const CLI::App*> commandsOf(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

std::vector<const CLI::Option*> optionsOf(const CLI::App& app) {
  return app.get_options([](const CLI::Option* option) {
    return option->nonpositional() && !option->get_group().empty();
  });
}

std::vector<const CLI::Option*> argumentsOf(const CLI::App& app) {
  return app.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

std::vector<std::string> flagsOf(const CLI::Option& option) {
  std::vector<std::string> flags;
  for (const std::string& name : option.get_snames()) flags.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) flags.push_back("--" + name);
  return flags;
}

std::string valueOf(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) return "";
  std::string value = option.get_type_name();
  // What CLI11 appends of the checks.
  for (const char* const check : {"{", "INT in [", "UINT in [", "FLOAT in ["}) {
    value.resize(std::min(value.size(), value.find(check)));
  }
  return value;
}

}  // namespace tilebeam::cli
