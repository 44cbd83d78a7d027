// The only way to stdout, stderr and files: every write is checked, and every fault becomes a
// Failure that names the file.
#pragma once

#include <string>
#include <string_view>

#include "tilebeam/json_io.h"
#include "tilebeam/problem.h"
#include "tilebeam/schedule.h"

namespace tilebeam::cli {

// Before anything else: a closed pipe or a file that grows too large is an error to report and not
// a signal to die of, and no file that is opened later becomes stdout because stdout was closed.
void secureStandardStreams();

Problem loadProblem(const std::string& path);
Schedule loadSchedule(const std::string& path);

inline constexpr const char* kStandardOutput = "/dev/stdout";

void saveFile(const std::string& path, std::string_view content,
              Durability durability = Durability::kMachine);

// Throws Failure(kWrongUsage) if writing to `output` would overwrite `input`.
void requireOtherFile(const std::string& output, const std::string& input);

// Wrong usage if both name one file; `what` is to say what needs a file each. Empty names are none.
void requireFileEach(const std::string& a, const std::string& b, const std::string& what);

// Before work that takes long: throws Failure(kCannotWrite) if `path` cannot be written to, as far
// as this can be told without writing.
void requireWritable(const std::string& path);

// To standard output.
void printResult(std::string_view text);

// One line on stderr, whatever control characters `line` holds. Never fails: there is nowhere left
// to report to.
void printLine(std::string line) noexcept;

// To stderr as it is, for what is drawn on a terminal. Never fails either.
void printRaw(std::string_view text) noexcept;

}  // namespace tilebeam::cli
