#include "cli/option_table.h"

#include <CLI/CLI.hpp>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/joined.h"
#include "cli/number_checks.h"
#include "cli/unknown_words.h"

namespace tilebeam::cli {
namespace {

constexpr std::int64_t kMillion = 1'000'000;

const std::array kTable{
    OptionRow{"threads", "--threads", "Worker threads (default: all cores)",
              &SolverOptions::threads, 1024},
    OptionRow{"time_limit", "--time-limit", "Seconds (default: 10, or none with --max-rounds)",
              &SolverOptions::timeLimit, 1000 * kMillion},
    OptionRow{"max_rounds", "--max-rounds", "Rounds of search: a fixed amount of work",
              &SolverOptions::maxRounds, kMillion* kMillion},
    OptionRow{"beam_width", "--beam-width", "States per number of covered ops (default: widens)",
              &SolverOptions::beamWidth, kMillion},
    OptionRow{"grain_size", "--grain-size", "Items per parallel task (default: by size)",
              &SolverOptions::grainSize, kMillion},
    OptionRow{"tokens", "--tokens", "Packages in flight (default: 4 per thread)",
              &SolverOptions::tokens, kMillion},
    OptionRow{"window", "--window", "Ops a step may reach ahead, at most 256 (default)",
              &SolverOptions::window, 256},
    OptionRow{"depth", "--depth", "Base costs read as native (default) or full",
              &SolverOptions::depth},
    OptionRow{"without", "--without", "Features of the search to switch off, for study",
              &SolverOptions::without},
    OptionRow{"prove", "--prove", "Then prove the best optimal (up to 64 ops)",
              &SolverOptions::prove}};

std::vector<std::string> featureNames() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kFeatureCount; ++i) names.emplace_back(name(static_cast<Feature>(i)));
  return names;
}

// "a,,b" has an empty part.
std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts(1);
  for (const char c : list) c == ',' ? void(parts.emplace_back()) : parts.back().push_back(c);
  return parts;
}

// Of a list of features; "" if nothing is.
std::string whatIsWrongWith(const std::string& list) {
  for (const std::string& name : split(list)) {
    if (name.empty()) return "'" + list + "' has an empty name in it";
    if (featureOf(name)) continue;
    const std::vector<std::string> names = featureNames();
    const std::string close = nearest(name, names);
    return "unknown feature '" + name + "'; " +
           (close.empty() ? "there are " + joined(names) : "did you mean " + close + "?");
  }
  return {};
}

// Adds the flag of one row, by the type of its field.
struct FlagAdder {
  CLI::App& command;
  SolverOptions& options;
  const OptionRow& row;

  template <class Integer>
  void operator()(Integer SolverOptions::*member) const {
    const auto assign = [&target = options.*member](const std::int64_t& value) {
      target = static_cast<Integer>(value);
    };
    command.add_option_function<std::int64_t>(row.flag, assign, row.help)
        ->type_name("N")
        ->check(wholeNumber(1, row.max));
  }

  void operator()(double SolverOptions::*member) const {
    command.add_option(row.flag, options.*member, row.help)
        ->type_name("SECONDS")
        ->check(positiveNumber(row.max));
  }

  void operator()(bool SolverOptions::*member) const {
    command.add_flag(row.flag, options.*member, row.help);
  }

  void operator()(FeatureSet SolverOptions::*member) const {
    const auto assign = [&target = options.*member](const std::vector<std::string>& lists) {
      for (const std::string& list : lists) {
        for (const std::string& name : split(list)) target.insert(featureOf(name).value());
      }
    };
    // Its description is where help and completions find the names.
    const std::string names = "{" + joined(featureNames(), ",") + "}";
    command.add_option_function<std::vector<std::string>>(row.flag, assign, row.help)
        ->expected(1)
        ->take_all()
        ->type_name("FEATURE,...")
        ->check(CLI::Validator(whatIsWrongWith, names, ""));
  }

  void operator()(DepthReading SolverOptions::*member) const {
    addDepthOption(command, options.*member);
  }
};

}  // namespace

std::span<const OptionRow> optionTable() { return kTable; }

void addSolverOptions(CLI::App& command, SolverOptions& options) {
  for (const OptionRow& row : kTable) std::visit(FlagAdder{command, options, row}, row.member);
}

void settleTimeLimit(const CLI::App& command, SolverOptions& options) {
  if (command.count("--max-rounds") == 0 || command.count("--time-limit") > 0) return;
  options.timeLimit = std::numeric_limits<double>::infinity();
}

void addDepthOption(CLI::App& command, DepthReading& depth) {
  const auto assign = [&depth](const std::string& text) {
    depth = text == "full" ? DepthReading::kFull : DepthReading::kNative;
  };
  command
      .add_option_function<std::string>("--depth", assign,
                                        "Base costs read as native (default) or full")
      ->type_name("READING")
      ->check(CLI::IsMember({"native", "full"}));
}

const char* depthName(DepthReading depth) {
  return depth == DepthReading::kFull ? "full" : "native";
}

}  // namespace tilebeam::cli
