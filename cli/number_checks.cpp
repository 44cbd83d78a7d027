#include "cli/number_checks.h"

#include <charconv>
#include <string>

namespace tilebeam::cli {

CLI::Validator wholeNumber(std::int64_t min, std::int64_t max) {
  const auto check = [min, max](const std::string& text) -> std::string {
    std::int64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    const bool plain = error == std::errc() && stop == end && std::to_string(value) == text;
    if (plain && value >= min && value <= max) return {};
    return "Value " + text + " not in range " + std::to_string(min) + " to " + std::to_string(max);
  };
  return {check, "", ""};
}

CLI::Validator positiveNumber(std::int64_t max) {
  const auto check = [max](const std::string& text) -> std::string {
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    const bool plain = error == std::errc() && stop == end;
    if (plain && value > 0 && value <= static_cast<double>(max)) return {};
    return "Value " + text + " not above 0 and at most " + std::to_string(max);
  };
  return {check, "", ""};
}

void refuseEmptyValues(CLI::App& parser) {
  const auto check = [](std::string& text) -> std::string {
    return text.empty() ? "an empty value" : "";
  };
  for (CLI::Option* const option : parser.get_options()) {
    // Before all other checks, as transformations are.
    if (option->get_items_expected_max() > 0) option->transform(CLI::Validator(check, "", ""));
  }
  for (CLI::App* const command : parser.get_subcommands({})) refuseEmptyValues(*command);
}

}  // namespace tilebeam::cli
