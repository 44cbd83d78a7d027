#include "cli/program.h"

#include <malloc.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <new>
#include <sstream>
#include <utility>

#include "cli/command_tree.h"
#include "cli/completions.h"
#include "cli/manual_page.h"
#include "cli/number_checks.h"
#include "cli/streams.h"
#include "cli/unknown_words.h"
#include "tilebeam/missing_library.h"

namespace tilebeam::cli {
namespace {

// The C library gives threads arenas, each of 64 MiB of addresses. Where a limit on these leaves no
// room for one, a thread's every allocation becomes a mapping of its own, and all its pages are
// cleared anew.
void fitArenasToMemory() {
  constexpr rlim_t kPerArena = rlim_t{256} << 20;  // arenas take a quarter of what there is
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  ::mallopt(M_ARENA_MAX, static_cast<int>(std::clamp<rlim_t>(limit.rlim_cur / kPerArena, 1, 1024)));
}

// Ends the parsing: there is nothing to do but to print this.
struct PrintRequest {
  std::string text;
};

// What describes the whole command line, --help aside.
void addDescriptions(CLI::App& parser) {
  parser
      .add_flag_callback(
          "--man", [&parser] { throw PrintRequest{manualPage(parser)}; },
          "Print the manual page, as man -l reads it")
      ->trigger_on_parse();
  parser
      .add_option_function<std::string>(
          "--completion",
          [&parser](const std::string& shell) {
            throw PrintRequest{completionScript(parser, shell)};
          },
          "Print the completion script for bash, zsh or fish")
      ->type_name("SHELL")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->trigger_on_parse();
}

// To print a text, unless the command line asks for it of a command that does not exist.
Action printing(const CLI::App& parser, std::string text) {
  const std::string unknown = unknownCommand(parser);
  if (!unknown.empty()) throw Failure(ExitCode::kWrongUsage, unknown + " (see --help)");
  return [text = std::move(text)] { return printResult(text), ExitCode::kDone; };
}

// Parses, and returns what is left to do. CLI11 throws to stop at --help and at faults, with exit
// codes of its own.
Action chooseAction(CLI::App& parser, const Definition& define, int argc, char** argv) {
  Action action;
  define(parser, action);
  refuseEmptyValues(parser);
  try {
    parser.parse(argc, argv);
  } catch (const PrintRequest& request) {
    return printing(parser, request.text);
  } catch (const CLI::CallForVersion& version) {
    return printing(parser, std::string(version.what()) + "\n");
  } catch (const CLI::Success&) {
    return printing(parser, parser.help());
  } catch (const CLI::ParseError& error) {
    const std::string unknown = unknownWord(parser);
    throw Failure(ExitCode::kWrongUsage,
                  (unknown.empty() ? std::string(error.what()) : unknown) + " (see --help)");
  }
  return action;
}

// Without empty lines and lists of values, so that the longest text fits a screen.
class CompactFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    std::istringstream lines(CLI::Formatter::make_help(app, std::move(name), mode));
    std::string text;
    for (std::string line; std::getline(lines, line);) {
      if (!line.empty()) text += line + "\n";
    }
    return text;
  }

  std::string make_option_opts(const CLI::Option* option) const override {
    const std::string value = valueOf(*option);
    const bool several = option->get_items_expected_max() > 1 && !value.ends_with("...");
    return (value.empty() ? "" : " " + value) + (several ? " ..." : "") +
           (option->get_required() ? " REQUIRED" : "");
  }
};

}  // namespace

int runProgram(const std::string& name, const std::string& description, int argc, char** argv,
               const Definition& define) {
  const auto fail = [&](ExitCode code, const std::string& message) {
    printLine(name + ": error: " + message);
    return static_cast<int>(code);
  };
  try {
    secureStandardStreams();
    fitArenasToMemory();
    CLI::App parser(description, name);
    parser.set_version_flag("--version", name + " " + TILEBEAM_VERSION, "Print the version");
    parser.set_help_flag("-h,--help", "Print this text");
    parser.formatter(std::make_shared<CompactFormatter>());
    addDescriptions(parser);
    return static_cast<int>(chooseAction(parser, define, argc, argv)());
  } catch (const Failure& failure) {
    return fail(failure.code(), failure.what());
  } catch (const MissingLibraryError& error) {
    return fail(ExitCode::kProgramFault, error.what());
  } catch (const std::bad_alloc&) {
    return fail(ExitCode::kProgramFault, "out of memory");
  } catch (const std::exception& fault) {
    return fail(ExitCode::kProgramFault, std::string("internal fault: ") + fault.what());
  }
}

}  // namespace tilebeam::cli
