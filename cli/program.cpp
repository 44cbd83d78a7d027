#include "cli/program.h"

#include <CLI/CLI.hpp>
#include <new>

#include "cli/streams.h"

namespace tilebeam::cli {
namespace {

// Parses, and returns what is left to do. CLI11 throws to stop at --help and at faults, with exit
// codes of its own.
Action chooseAction(CLI::App& parser, const Definition& define, int argc, char** argv) {
  Action action;
  define(parser, action);
  try {
    parser.parse(argc, argv);
  } catch (const CLI::CallForVersion& version) {
    return
        [text = std::string(version.what()) + "\n"] { return printResult(text), ExitCode::kDone; };
  } catch (const CLI::Success&) {
    return [text = parser.help()] { return printResult(text), ExitCode::kDone; };
  } catch (const CLI::ParseError& error) {
    throw Failure(ExitCode::kWrongUsage, std::string(error.what()) + " (see --help)");
  }
  return action;
}

}  // namespace

int runProgram(const std::string& name, const std::string& description, int argc, char** argv,
               const Definition& define) {
  const auto fail = [&](ExitCode code, const std::string& message) {
    printLine(name + ": error: " + message);
    return static_cast<int>(code);
  };
  try {
    secureStandardStreams();
    CLI::App parser(description, name);
    parser.set_version_flag("--version", name + " " + TILEBEAM_VERSION, "Print the version");
    parser.set_help_flag("-h,--help", "Print this text");
    return static_cast<int>(chooseAction(parser, define, argc, argv)());
  } catch (const Failure& failure) {
    return fail(failure.code(), failure.what());
  } catch (const std::bad_alloc&) {
    return fail(ExitCode::kProgramFault, "out of memory");
  } catch (const std::exception& fault) {
    return fail(ExitCode::kProgramFault, std::string("internal fault: ") + fault.what());
  }
}

}  // namespace tilebeam::cli
