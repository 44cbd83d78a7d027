// The only way to stdout, stderr and files: every write is checked, and every fault becomes a
// Failure that names the file.
#pragma once

#include <new>
#include <string>
#include <string_view>

#include "cli/exit_code.h"
#include "cli/stop_signals.h"
#include "simulator/files.h"
#include "tilebeam/errors.h"
#include "tilebeam/json_io.h"
#include "tilebeam/problem.h"
#include "tilebeam/schedule.h"

namespace tilebeam::cli {

// Before anything else: a closed pipe or a file that grows too large is an error to report and not
// a signal to die of, and no file that is opened later becomes stdout because stdout was closed.
void secureStandardStreams();

// A StartCheck: an endless stream is seldom JSON from its first byte on.
bool beginsObject(std::string_view start, std::size_t seen);

// What `parse` makes of a file's content. Throws Failure that names the file, if it cannot be read
// or parsed, or a signal comes first.
template <class Parse>
auto readInput(const std::string& path, std::size_t largest, StartCheck check, Parse parse) {
  try {
    return parse(readFile(path, largest, check, stopRequested));
  } catch (const InputError& error) {
    throw Failure(ExitCode::kMalformedInput, path + ": " + error.what());
  } catch (const InterruptedError& error) {
    throw Failure(stoppedCode(), path + ": " + error.what());
  } catch (const std::bad_alloc&) {
    throw Failure(ExitCode::kProgramFault, path + ": out of memory");
  }
}

Problem loadProblem(const std::string& path);
Schedule loadSchedule(const std::string& path);

inline constexpr const char* kStandardOutput = "/dev/stdout";

void saveFile(const std::string& path, std::string_view content,
              Durability durability = Durability::kMachine);

// Before work that takes long: throws Failure(kCannotWrite) if `path` cannot be written to, as far
// as this can be told without writing.
void requireWritable(const std::string& path);

// To standard output.
void printResult(std::string_view text);

// One line of UTF-8 on stderr, whatever `line` holds. Never fails: there is nowhere left
// to report to.
void printLine(std::string line) noexcept;

// To stderr as it is, for what is drawn on a terminal. Never fails either.
void printRaw(std::string_view text) noexcept;

}  // namespace tilebeam::cli
