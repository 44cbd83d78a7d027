#include "cli/manual_page.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "cli/command_tree.h"

namespace tilebeam::cli {
namespace {

// Text that roff prints as it is.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else if ((c == '.' || c == '\'') && (result.empty() || result.back() == '\n')) {
      result += std::string("\\&") + c;
    } else {
      result += c;
    }
  }
  return result;
}

std::string bold(const std::string& text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + escaped(text) + "\\fR"; }

std::string upperCase(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string synopsis(const std::string& program, const CLI::App& app) {
  std::string text = ".br\n" + bold(program);
  if (!optionsOf(app).empty()) text += " [" + italic("options") + "]";
  for (const CLI::Option* const argument : argumentsOf(app)) {
    const std::string name = italic(argument->get_name(true));
    const std::string several = argument->get_items_expected_max() > 1 ? "..." : "";
    text += argument->get_required() ? " " + name + several : " [" + name + several + "]";
  }
  return text + "\n";
}

std::string described(const std::string& term, const std::string& description) {
  return ".TP\n" + term + "\n" + escaped(description) + "\n";
}

std::string optionList(const CLI::App& app) {
  std::string text;
  for (const CLI::Option* const argument : argumentsOf(app)) {
    text += described(italic(argument->get_name(true)), argument->get_description());
  }
  for (const CLI::Option* const option : optionsOf(app)) {
    std::string term;
    for (const std::string& flag : flagsOf(*option))
      term += (term.empty() ? "" : ", ") + bold(flag);
    const std::string value = valueOf(*option);
    if (!value.empty()) term += " " + italic(value);
    text += described(term, option->get_description());
  }
  return text;
}

std::string exitStatus() {
  constexpr std::pair<const char*, const char*> kCodes[] = {
      {"0", "done"},
      {"1", "the schedule is invalid"},
      {"2", "wrong usage"},
      {"3", "malformed or unreadable input"},
      {"4", "no valid schedule"},
      {"5", "the output cannot be written"},
      {"70", "a fault of the program, or out of memory"}};
  std::string text = ".SH EXIT STATUS\n";
  for (const auto& [code, meaning] : kCodes) text += described(code, meaning);
  return text;
}

std::string signals() {
  return ".SH SIGNALS\n" +
         described(
             "SIGINT, SIGTERM, SIGHUP",
             "End a search: the best schedule so far is written, a first one is made where "
             "there is none yet, and the exit status is 0. If none can be made, it is 128 and "
             "the signal's number. A second signal ends the program at once. A SIGHUP that is "
             "ignored from the start, as nohup has it, stays so.") +
         described("SIGKILL",
                   "The file named for the schedule holds the best one so far from the first "
                   "moments on, and is never half written.");
}

// Ranks and array numbers are for the program that has a suite to share out.
std::string environment(bool shares) {
  return ".SH ENVIRONMENT\n" + described("NO_COLOR", "If not empty, nothing is coloured.") +
         described("TERM", "If it is dumb, there is no live line and no colour.") +
         (shares
              ? described("OMPI_COMM_WORLD_RANK, PMI_RANK, SLURM_ARRAY_TASK_ID",
                          "With their sizes and counts: the shard that suite --shard auto takes.")
              : "");
}

}  // namespace

std::string manualPage(const CLI::App& program) {
  const std::string& name = program.get_name();
  std::string text = ".TH " + upperCase(name) +
                     " 1 \"\" \"tilebeam " TILEBEAM_VERSION "\" \"User Commands\"\n.SH NAME\n" +
                     escaped(name) + " \\- " + escaped(program.get_description()) +
                     "\n.SH SYNOPSIS\n";
  const auto commands = commandsOf(program);
  if (commands.empty()) text += synopsis(name, program);
  for (const CLI::App* const command : commands) {
    text += synopsis(name + " " + command->get_name(), *command);
  }
  text += ".SH OPTIONS\n" + optionList(program);
  for (const CLI::App* const command : commands) {
    text += ".SH " + upperCase(command->get_name()) + "\n" + escaped(command->get_description()) +
            ".\n" + optionList(*command);
    if (!command->get_footer().empty()) text += ".PP\n" + escaped(command->get_footer()) + "\n";
  }
  return text + signals() + environment(!commands.empty()) + exitStatus();
}

}  // namespace tilebeam::cli
