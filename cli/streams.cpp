#include "cli/streams.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>

#include "cli/stop_signals.h"
#include "cli/utf8.h"
#include "tilebeam/errors.h"
#include "tilebeam/json_io.h"

namespace tilebeam::cli {
namespace {

// Holds the writing end of a named pipe while the file is written, so that the reader who has come
// stays. Opening it in the ordinary way would wait for a reader for ever, whatever signal comes.
class PipeHold {
 public:
  // Once the program has been told to stop, a reader has a second to come; then throws
  // Failure(kCannotWrite).
  explicit PipeHold(const std::string& path) {
    using namespace std::chrono_literals;
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0 || !S_ISFIFO(status.st_mode)) return;
    constexpr auto kPause = 10ms;
    for (auto patience = 1000ms;;) {
      fd_ = ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
      if (fd_ >= 0 || errno != ENXIO) return;
      if (stopRequested() && (patience -= kPause) < 0ms) {
        throw Failure(ExitCode::kCannotWrite, path + ": cannot be written: nobody reads from it");
      }
      std::this_thread::sleep_for(kPause);
    }
  }
  PipeHold(const PipeHold&) = delete;
  PipeHold& operator=(const PipeHold&) = delete;
  ~PipeHold() {
    if (fd_ >= 0) ::close(fd_);
  }

 private:
  int fd_ = -1;
};

template <class Parse>
auto load(const std::string& path, Parse parse) {
  return readInput(path, kLargestText, beginsObject, parse);
}

}  // namespace

bool beginsObject(std::string_view start, std::size_t seen) {
  const std::size_t first = start.find_first_not_of(" \t\n\r", seen);
  if (first == std::string_view::npos) return false;
  // The parser says what is wrong with it.
  if (start[first] != '{') parseSchedule(start);
  return true;
}

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
  const PipeHold hold(path);
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

void printResult(std::string_view text) { saveFile(kStandardOutput, text); }

void printLine(std::string line) noexcept {
  makePrintable(line);
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
