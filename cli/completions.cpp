#include "cli/completions.h"

#include <CLI/CLI.hpp>

#include "cli/command_tree.h"
#include "cli/joined.h"

namespace tilebeam::cli {
namespace {

std::string without(std::string text, const std::string& characters) {
  std::erase_if(text, [&](char c) { return characters.find(c) != std::string::npos; });
  return text;
}

// For any of the shells.
std::string quoted(const std::string& text) { return "'" + without(text, "'") + "'"; }

std::vector<std::string> flagsOf(const CLI::App& app) {
  std::vector<std::string> flags;
  for (const CLI::Option* const option : optionsOf(app)) {
    for (const std::string& flag : cli::flagsOf(*option)) flags.push_back(flag);
  }
  return flags;
}

// How the value of an option is completed, in a shell's own words.
struct ValueWords {
  std::string file;
  std::string directory;
  std::string choicesBegin;
  std::string choicesEnd;
  std::string other;  // numbers and the like
};

std::string valueCompletion(const CLI::Option& option, const ValueWords& words) {
  const std::vector<std::string> choices = choicesOf(option);
  if (!choices.empty()) return words.choicesBegin + joined(choices, " ") + words.choicesEnd;
  const std::string value = valueOf(option);
  if (value == "FILE") return words.file;
  return value == "DIR" ? words.directory : words.other;
}

std::vector<std::string> namesOf(const std::vector<const CLI::App*>& commands) {
  std::vector<std::string> names;
  for (const CLI::App* const command : commands) names.push_back(command->get_name());
  return names;
}

// The program itself, as the command "".
std::vector<const CLI::App*> withProgram(const CLI::App& program) {
  std::vector<const CLI::App*> all = commandsOf(program);
  all.insert(all.begin(), &program);
  return all;
}

std::string caseLabel(const CLI::App& program, const CLI::App& command) {
  return &command == &program ? "''" : command.get_name();
}

// "solve:--depth) complete=(-W 'native full') ;;" and so on, for each option that takes a value.
std::string bashValues(const CLI::App& program) {
  const ValueWords words{"-f", "-d", "-W '", "'", "-W ''"};
  std::string text;
  for (const CLI::App* const command : withProgram(program)) {
    const std::string name = command == &program ? "" : command->get_name();
    for (const CLI::Option* const option : optionsOf(*command)) {
      if (valueOf(*option).empty()) continue;
      std::vector<std::string> patterns;
      for (const std::string& flag : cli::flagsOf(*option)) patterns.push_back(name + ":" + flag);
      text += "    " + joined(patterns, "|") + ") complete=(" + valueCompletion(*option, words) +
              ") ;;\n";
    }
  }
  return text;
}

std::string bashScript(const CLI::App& program) {
  const std::string& name = program.get_name();
  std::string text =
      "# bash completion for " + name + "\n_" + name +
      "() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  local command='' options='' word\n"
      "  local -a complete=(-f)\n"
      "  COMPREPLY=()\n"
      "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
      "    case $word in -*) ;; *) command=$word; break ;; esac\n"
      "  done\n"
      "  case $command in\n";
  for (const CLI::App* const command : withProgram(program)) {
    text += "    " + caseLabel(program, *command) + ") options='" + joined(flagsOf(*command), " ") +
            "' ;;\n";
  }
  const std::string commands = joined(namesOf(commandsOf(program)), " ");
  text += "  esac\n";
  if (!commands.empty()) text += "  [[ -z $command ]] && complete=(-W '" + commands + "')\n";
  return text +
         "  [[ $current == -* ]] && complete=(-W \"$options\")\n"
         "  case $command:$previous in\n" +
         bashValues(program) +
         "  esac\n"
         "  mapfile -t COMPREPLY < <(compgen \"${complete[@]}\" -- \"$current\")\n"
         "}\n"
         "complete -o filenames -F _" +
         name + " " + name + "\n";
}

// '(-o --output)'{-o,--output}'[text]:FILE:_files'
std::string zshOption(const CLI::Option& option) {
  const std::vector<std::string> flags = cli::flagsOf(option);
  const std::string value = valueOf(option);
  const std::string alternatives = flags.size() == 1 ? flags[0] : "{" + joined(flags, ",") + "}";
  const ValueWords words{"_files", "_files -/", "(", ")", " "};
  const std::string action =
      value.empty() ? "" : ":" + value + ":" + valueCompletion(option, words);
  const std::string description = "[" + without(option.get_description(), "[]:") + "]";
  return "'(" + joined(flags, " ") + ")'" + alternatives + quoted(description + action);
}

std::string zshArguments(const CLI::App& app) {
  std::string text = "_arguments";
  for (const CLI::Option* const option : optionsOf(app))
    text += " \\\n        " + zshOption(*option);
  return text;
}

// Found in fpath, the script is the body of the function; sourced, it makes the function known.
std::string zshStart(const std::string& name) {
  return "if [[ $funcstack[1] == _" + name + " ]]; then\n  _" + name +
         " \"$@\"\nelse\n  compdef _" + name + " " + name + "\nfi\n";
}

std::string zshScript(const CLI::App& program) {
  const std::string& name = program.get_name();
  const auto commands = commandsOf(program);
  std::string text = "#compdef " + name + "\n_" + name + "() {\n";
  if (commands.empty()) {
    text += "  " + zshArguments(program) + " \\\n        '*:file:_files'\n}\n";
    return text + zshStart(name);
  }
  text +=
      "  local curcontext=$curcontext state line\n"
      "  local -a commands=(\n";
  for (const CLI::App* const command : commands) {
    text += "    " + quoted(command->get_name() + ":" + command->get_description()) + "\n";
  }
  text += "  )\n  " + zshArguments(program) +
          " \\\n        '1: :{_describe command commands}' '*:: :->rest'\n"
          "  [[ $state == rest ]] || return\n"
          "  case $line[1] in\n";
  for (const CLI::App* const command : commands) {
    text += "    " + command->get_name() + ")\n      " + zshArguments(*command) +
            " \\\n        '*:file:_files' ;;\n";
  }
  return text + "  esac\n}\n" + zshStart(name);
}

std::string fishOption(const std::string& start, const CLI::Option& option) {
  std::string text = start;
  for (const std::string& name : option.get_snames()) text += " -s " + name;
  for (const std::string& name : option.get_lnames()) text += " -l " + name;
  const ValueWords words{" -r -F", " -x -a '(__fish_complete_directories)'", " -x -a '", "'",
                         " -x"};
  if (!valueOf(option).empty()) text += valueCompletion(option, words);
  return text + " -d " + quoted(option.get_description()) + "\n";
}

std::string fishScript(const CLI::App& program) {
  const std::string& name = program.get_name();
  std::string text = "# fish completion for " + name + "\n";
  const std::string complete = "complete -c " + name;
  const auto commands = commandsOf(program);
  for (const CLI::App* const command : commands) {
    text += complete + " -n __fish_use_subcommand -f -a " + command->get_name() + " -d " +
            quoted(command->get_description()) + "\n";
  }
  const std::string top = commands.empty() ? complete : complete + " -n __fish_use_subcommand";
  for (const CLI::Option* const option : optionsOf(program)) text += fishOption(top, *option);
  for (const CLI::App* const command : commands) {
    const std::string start =
        complete + " -n '__fish_seen_subcommand_from " + command->get_name() + "'";
    for (const CLI::Option* const option : optionsOf(*command)) text += fishOption(start, *option);
  }
  return text;
}

}  // namespace

std::string completionScript(const CLI::App& program, const std::string& shell) {
  if (shell == "bash") return bashScript(program);
  return shell == "zsh" ? zshScript(program) : fishScript(program);
}

}  // namespace tilebeam::cli
