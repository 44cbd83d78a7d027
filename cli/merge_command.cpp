#include <CLI/CLI.hpp>
#include <map>
#include <memory>

#include "cli/commands.h"
#include "cli/file_roles.h"
#include "cli/natural_order.h"
#include "cli/output_option.h"
#include "cli/result_files.h"
#include "cli/row_rules.h"
#include "cli/streams.h"
#include "cli/text_table.h"
#include "tilebeam/lower_bound.h"

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
    for (const SuiteRow& row : loadResults(file)) {
      const auto [place, isNew] = entries_.try_emplace(row.problem, Entry{row, file, {}, {}});
      Entry& held = place->second;
      if (!isNew) resolve(held, row, file);
      if (row.ops) held.ops = {static_cast<double>(*row.ops), file};
      if (row.bound && *row.bound > held.bound.value) held.bound = {*row.bound, file};
    }
  }

  std::vector<SuiteRow> rows() const {
    std::vector<SuiteRow> list;
    for (const auto& [name, entry] : entries_) list.push_back(entry.row);
    return list;
  }

 private:
  // A number that some file says of a problem.
  struct Saying {
    double value = 0;  // 0: none says it
    std::string file;
  };

  struct Entry {
    SuiteRow row;  // the best so far
    std::string file;
    Saying ops;    // of any row of this problem
    Saying bound;  // the highest
  };

  [[noreturn]] static void refuseTwo(const std::string& problem, const std::string& what) {
    throw Failure(ExitCode::kWrongUsage, problem + ": " + what + ": two problems of one name");
  }

  static void requireEqualOps(const Saying& held, const SuiteRow& row, const std::string& file) {
    const auto ops = static_cast<double>(row.ops.value_or(0));
    if (ops == 0 || held.value == 0 || ops == held.value) return;
    refuseTwo(row.problem, formatNumber(held.value) + " ops in " + held.file + ", " +
                               formatNumber(ops) + " in " + file);
  }

  // No schedule is better than a bound of any file.
  static void requireAbove(const Saying& bound, const SuiteRow& row, const std::string& file) {
    if (!row.solved() || relativeGap(*row.latency, bound.value) >= -kGapRounding) return;
    refuseTwo(row.problem, "latency " + formatNumber(*row.latency) + " in " + file +
                               ", below the bound " + formatNumber(bound.value) + " in " +
                               bound.file);
  }

  void resolve(Entry& held, const SuiteRow& row, const std::string& file) const {
    if (!best_) {
      throw Failure(ExitCode::kWrongUsage, row.problem + ": in " + held.file + " and in " + file +
                                               "; --best keeps the better of such results");
    }
    requireEqualOps(held.ops, row, file);
    requireAbove(held.bound, row, file);
    requireAbove({row.bound.value_or(0), file}, held.row, held.file);
    if (!row.solved()) return;
    if (!held.row.solved() || *row.latency < *held.row.latency) {
      held.row = row;
      held.file = file;
    }
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
