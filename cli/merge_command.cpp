#include <CLI/CLI.hpp>
#include <map>
#include <memory>

#include "cli/commands.h"
#include "cli/file_roles.h"
#include "cli/natural_order.h"
#include "cli/output_option.h"
#include "cli/result_files.h"
#include "cli/streams.h"

namespace tilebeam::cli {
namespace {

struct MergeArguments {
  std::vector<std::string> files;
  ResultPaths results;
  bool best = false;
};

struct NaturalOrder {
  bool operator()(const std::string& a, const std::string& b) const { return naturallyLess(a, b); }
};

class Merger {
 public:
  explicit Merger(bool best) : best_(best) {}

  void add(const std::string& file) {
    for (SuiteRow& row : loadResults(file)) {
      const auto [place, isNew] = entries_.try_emplace(row.problem, Entry{row, file});
      if (!isNew) resolve(place->second, {std::move(row), file});
    }
  }

  std::vector<SuiteRow> rows() const {
    std::vector<SuiteRow> list;
    for (const auto& [name, entry] : entries_) list.push_back(entry.row);
    return list;
  }

 private:
  struct Entry {
    SuiteRow row;
    std::string file;
  };

  void resolve(Entry& held, Entry next) const {
    const std::string where = held.row.problem + ": in " + held.file + " and in " + next.file;
    if (!best_) {
      throw Failure(ExitCode::kWrongUsage, where + "; --best keeps the better of such results");
    }
    if (!next.row.solved()) return;
    if (!held.row.solved() || *next.row.latency < *held.row.latency) held = std::move(next);
  }

  bool best_;
  std::map<std::string, Entry, NaturalOrder> entries_;
};

ExitCode merge(const MergeArguments& arguments, const std::vector<std::string>& commandLine) {
  FileRoles files;
  for (const std::string& file : arguments.files) files.addInput(file);
  files.addOutput(arguments.results.csv);
  files.addOutput(arguments.results.json);
  files.requireWritable();
  Merger merger(arguments.best);
  for (const std::string& file : arguments.files) merger.add(file);
  const std::vector<SuiteRow> rows = merger.rows();
  saveResults(arguments.results, rows, commandLine);
  printResult(suiteTable(rows));
  printLine("tilebeam: " + suiteCounts(rows));
  return ExitCode::kDone;
}

}  // namespace

void addMergeCommand(CLI::App& parser, Action& action,
                     const std::vector<std::string>& commandLine) {
  const auto arguments = std::make_shared<MergeArguments>();
  CLI::App& command = *parser.add_subcommand("merge", "Join the results of several suites");
  command.add_option("FILES", arguments->files, "Results of suites, CSV or JSON")->required();
  addOutputOption(command, "--csv", arguments->results.csv, "Results to write");
  addOutputOption(command, "--json", arguments->results.json, "Results to write");
  command.add_flag("--best", arguments->best, "Keep the better of two results for one problem");
  command.footer("Example: tilebeam merge part-1.csv part-2.csv --csv results.csv");
  command.callback([&action, commandLine, arguments] {
    action = [arguments, commandLine] { return merge(*arguments, commandLine); };
  });
}

}  // namespace tilebeam::cli
