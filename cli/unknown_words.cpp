#include "cli/unknown_words.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <numeric>

#include "cli/command_tree.h"
#include "cli/joined.h"

namespace tilebeam::cli {
namespace {

// Letters to insert, delete or replace to make one word of the other.
std::size_t editDistance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);  // from the beginning of `a` read so far
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

bool isFlag(const std::string& word) { return word.size() > 1 && word.front() == '-'; }

std::string suggestion(const std::string& word, const std::vector<std::string>& names) {
  const std::string known = nearest(word, names);
  return known.empty() ? "" : "; did you mean " + known + "?";
}

std::vector<std::string> commandNames(const CLI::App& parser) {
  std::vector<std::string> names;
  for (const CLI::App* const command : commandsOf(parser)) names.push_back(command->get_name());
  return names;
}

std::vector<std::string> longFlags(const CLI::App& app) {
  std::vector<std::string> flags;
  for (const CLI::Option* const option : optionsOf(app)) {
    for (const std::string& flag : flagsOf(*option)) {
      if (flag.starts_with("--")) flags.push_back(flag);
    }
  }
  return flags;
}

}  // namespace

std::string nearest(const std::string& word, const std::vector<std::string>& names) {
  constexpr std::size_t kLongest = 64;  // of a slip
  if (word.size() > kLongest) return {};
  std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;
  std::string best;
  for (const std::string& name : names) {
    // A part of the name is close, too: --round for --max-rounds.
    const bool part = word.size() > 4 && name.find(word.substr(2)) != std::string::npos;
    const std::size_t distance = part ? 1 : editDistance(word, name);
    if (distance >= least || distance >= name.size()) continue;
    least = distance;
    best = name;
  }
  return best;
}

std::string unknownCommand(const CLI::App& parser) {
  const std::vector<std::string> words = parser.remaining();
  const std::vector<std::string> commands = commandNames(parser);
  if (!parser.get_subcommands().empty() || commands.empty() || words.empty()) return {};
  const std::string& word = words.front();
  if (isFlag(word)) return {};
  const std::string said = "unknown command '" + word + "'";
  const std::string close = suggestion(word, commands);
  if (!close.empty()) return said + close;
  return said + "; there are " + joined(commands);
}

std::string unknownWord(const CLI::App& parser) {
  if (std::string command = unknownCommand(parser); !command.empty()) return command;
  const auto chosen = parser.get_subcommands();
  const CLI::App& app = chosen.empty() ? parser : *chosen.front();
  std::vector<std::string> words = parser.remaining();
  if (!chosen.empty()) {
    const std::vector<std::string> own = app.remaining();
    words.insert(words.end(), own.begin(), own.end());
  }
  if (words.empty()) return {};
  const std::string& word = words.front();
  const std::string quoted = "'" + word + "'";
  if (isFlag(word)) {
    const std::string flag = word.substr(0, word.find('='));
    return "unknown option " + quoted + suggestion(flag, longFlags(app));
  }
  return "unexpected argument " + quoted;
}

}  // namespace tilebeam::cli
