#include "cli/output_option.h"

#include <CLI/CLI.hpp>

#include "cli/streams.h"

namespace tilebeam::cli {

CLI::Option* addOutputOption(CLI::App& command, const std::string& flags, std::string& path,
                             const std::string& help) {
  const auto resolve = [](std::string& value) -> std::string {
    if (value == "-") value = kStandardOutput;
    return {};
  };
  return command.add_option(flags, path, help)
      ->type_name("FILE")
      ->transform(CLI::Validator(resolve, "", ""));
}

}  // namespace tilebeam::cli
