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
  // CLI11 appends what the checks say.
  const std::string value = option.get_type_name();
  return value.substr(0, value.find(':'));
}

std::vector<std::string> choicesOf(const CLI::Option& option) {
  const std::string value = option.get_type_name();
  const std::size_t begin = value.find(":{");
  if (begin == std::string::npos || value.back() != '}') return {};
  return CLI::detail::split(value.substr(begin + 2, value.size() - begin - 3), ',');
}

}  // namespace tilebeam::cli
