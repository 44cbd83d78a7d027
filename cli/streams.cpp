#include "cli/streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>

#include "tilebeam/errors.h"
#include "tilebeam/json_io.h"

namespace tilebeam::cli {
namespace {

// An endless stream, say /dev/zero, is no JSON from its first byte on.
bool beginsObject(std::string_view start, std::size_t seen) {
  const std::size_t first = start.find_first_not_of(" \t\n\r", seen);
  if (first == std::string_view::npos) return false;
  // The parser says what is wrong with it.
  if (start[first] != '{') parseSchedule(start);
  return true;
}

template <class Parse>
auto load(const std::string& path, Parse parse) {
  return readInput(path, kLargestText, beginsObject, parse);
}

}  // namespace

void secureStandardStreams() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) >= 0) continue;
    // Takes the lowest free number, which is `fd`. Closed stdout stays unwritable.
    const int opened = ::open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY);
    if (opened != fd) return;
  }
}

Problem loadProblem(const std::string& path) {
  return load(path, [](const std::string& text) { return parseProblem(text); });
}

Schedule loadSchedule(const std::string& path) {
  return load(path, [](const std::string& text) { return parseSchedule(text); });
}

void saveFile(const std::string& path, std::string_view content, Durability durability) {
  try {
    writeFileAtomically(path, content, durability);
  } catch (const OutputError& error) {
    throw Failure(ExitCode::kCannotWrite, path + ": " + error.what());
  }
}

void requireWritable(const std::string& path) {
  try {
    checkWritable(path);
  } catch (const OutputError& error) {
    throw Failure(ExitCode::kCannotWrite, path + ": " + error.what());
  }
}

void requireOtherFile(const std::string& output, const std::string& input) {
  std::error_code error;
  if (!isReplaceable(output)) return;
  if (!std::filesystem::equivalent(output, input, error) || error) return;
  throw Failure(ExitCode::kWrongUsage, output + ": the output would overwrite an input");
}

void requireFileEach(const std::string& a, const std::string& b, const std::string& what) {
  if (a.empty() || b.empty() || !namesSameFile(a, b)) return;
  throw Failure(ExitCode::kWrongUsage, b + ": " + what + " need a file each");
}

void printResult(std::string_view text) { saveFile(kStandardOutput, text); }

void printLine(std::string line) noexcept {
  const auto isControl = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  std::replace_if(line.begin(), line.end(), isControl, '?');
  line.push_back('\n');
  printRaw(line);
}

void printRaw(std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace tilebeam::cli
