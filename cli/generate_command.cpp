#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <stdexcept>

#include "benchmarks/generator/generator.h"
#include "cli/commands.h"
#include "cli/number_checks.h"
#include "cli/output_option.h"
#include "cli/streams.h"
#include "cli/unknown_words.h"
#include "tilebeam/json_io.h"

namespace tilebeam::cli {
namespace {

struct GenerateArguments {
  generator::Request request;
  std::string output = kStandardOutput;
  bool list = false;
};

const std::map<std::string, generator::Memory>& memoryClasses() {
  static const std::map<std::string, generator::Memory> classes{
      {"tight", generator::Memory::kTight},
      {"roomy", generator::Memory::kRoomy},
      {"contest", generator::Memory::kContest}};
  return classes;
}

// Of any kind.
int mostOps() {
  int most = 0;
  for (const generator::Kind& kind : generator::kinds()) most = std::max(most, kind.maxOps);
  return most;
}

ExitCode listKinds(const std::string& output) {
  std::string text;
  for (const generator::Kind& kind : generator::kinds()) {
    text += kind.name + " (" + std::to_string(kind.minOps) + " to " + std::to_string(kind.maxOps) +
            " ops): " + kind.description + "\n";
  }
  saveFile(output, text);
  return ExitCode::kDone;
}

void requireKnownKind(const std::string& word) {
  std::vector<std::string> names;
  for (const generator::Kind& kind : generator::kinds()) names.push_back(kind.name);
  if (std::find(names.begin(), names.end(), word) != names.end()) return;
  const std::string close = nearest(word, names);
  throw Failure(ExitCode::kWrongUsage, "unknown kind '" + word + "'" +
                                           (close.empty() ? "" : "; did you mean " + close + "?") +
                                           " (--list names the kinds)");
}

ExitCode generate(const GenerateArguments& arguments) {
  requireKnownKind(arguments.request.kind);
  requireWritable(arguments.output);
  try {
    const Problem problem = generator::generate(arguments.request);
    saveFile(arguments.output, writeProblem(problem));
  } catch (const std::invalid_argument& error) {
    throw Failure(ExitCode::kWrongUsage, error.what());
  }
  return ExitCode::kDone;
}

void addRequestOptions(CLI::App& command, GenerateArguments& arguments) {
  generator::Request& request = arguments.request;
  command.add_option("KIND", request.kind, "The structure of the graph; see --list");
  command.add_option("--ops", request.ops, "Number of ops")
      ->type_name("N")
      ->check(wholeNumber(1, mostOps()));
  // CLI11 would wrap negative numbers around.
  const auto setSeed = [&request](const std::int64_t& seed) {
    request.seed = static_cast<std::uint64_t>(seed);
  };
  command
      .add_option_function<std::int64_t>("--seed", setSeed,
                                         "Seed of all that is drawn (default: 0)")
      ->type_name("S")
      ->check(wholeNumber(0, std::numeric_limits<std::int64_t>::max()));
  const auto setMemory = [&request](const std::string& name) {
    request.memory = memoryClasses().at(name);
  };
  command
      .add_option_function<std::string>("--memory", setMemory,
                                        "Fast memory: tight, roomy or contest (default)")
      ->type_name("CLASS")
      ->check(CLI::IsMember({"tight", "roomy", "contest"}));
  addOutputOption(command, "-o,--output", arguments.output,
                  "File to write (default: standard output)");
}

}  // namespace

void addGenerateCommand(CLI::App& parser, Action& action) {
  const auto arguments = std::make_shared<GenerateArguments>();
  CLI::App& command = *parser.add_subcommand("generate", "Make a problem");
  addRequestOptions(command, *arguments);
  CLI::Option* const list = command.add_flag("--list", arguments->list, "List the kinds");
  command.footer("Example: tilebeam generate transformer --ops 60 --seed 1 -o problem.json");
  command.callback([&action, &command, list, arguments] {
    // Required, but for --list.
    for (const char* const name : {"KIND", "--ops"}) {
      if (list->count() == 0 && command.count(name) == 0) throw CLI::RequiredError(name);
    }
    for (const char* const name : {"KIND", "--ops", "--seed", "--memory"}) {
      if (list->count() > 0 && command.count(name) > 0) throw CLI::ExcludesError("--list", name);
    }
    action = [arguments] {
      return arguments->list ? listKinds(arguments->output) : generate(*arguments);
    };
  });
}

}  // namespace tilebeam::cli
