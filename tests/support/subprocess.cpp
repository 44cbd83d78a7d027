#include "support/subprocess.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <utility>

namespace tilebeam::test {
namespace {

constexpr unsigned kMaxSeconds = 60;

// A file without a name: unlike a pipe, it never blocks the one who writes.
int anonymousFile() {
  std::string path = (std::filesystem::temp_directory_path() / "tilebeam-run-XXXXXX").string();
  const int fd = mkostemp(path.data(), O_CLOEXEC);
  if (fd < 0) throw std::runtime_error("no temporary file");
  ::unlink(path.c_str());
  return fd;
}

// Opens both ends: returns the one to read from.
int openTerminal(int& written) {
  const int read = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (read < 0 || ::grantpt(read) != 0 || ::unlockpt(read) != 0) {
    throw std::runtime_error("no terminal");
  }
  written = ::open(::ptsname(read), O_RDWR | O_NOCTTY | O_CLOEXEC);
  struct winsize size {};
  size.ws_col = 80;
  ::ioctl(written, TIOCSWINSZ, &size);
  return read;
}

// Until nobody can write to the terminal any more.
void keepAll(int terminal, int file) {
  char buffer[4096];
  for (;;) {
    const ssize_t count = ::read(terminal, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    if (::write(file, buffer, static_cast<std::size_t>(count)) != count) break;
  }
  ::close(terminal);
}

// Devices have no content; /dev/full would have it without end.
std::string contentOf(int fd) {
  struct stat status {};
  if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) return {};
  std::string content;
  char buffer[4096];
  ::lseek(fd, 0, SEEK_SET);
  for (ssize_t n = 0; (n = ::read(fd, buffer, sizeof buffer)) > 0;) {
    content.append(buffer, static_cast<std::size_t>(n));
  }
  return content;
}

void breakStdout() {
  int ends[2];
  if (::pipe(ends) != 0) ::_exit(127);
  ::dup2(ends[1], STDOUT_FILENO);
  ::close(ends[0]);
  ::close(ends[1]);
}

void limit(__rlimit_resource_t resource, std::size_t bytes) {
  const struct rlimit limits { bytes, bytes };
  if (bytes > 0 && ::setrlimit(resource, &limits) != 0) ::_exit(127);
}

}  // namespace

Subprocess::Subprocess(const std::vector<std::string>& arguments, const RunSetup& setup)
    : out_(setup.stdoutPath.empty() ? anonymousFile()
                                    : ::open(setup.stdoutPath.c_str(), O_RDWR | O_CLOEXEC)),
      err_(anonymousFile()) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const int keeper = setup.terminal ? openTerminal(terminal_) : -1;
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("no process");
  if (pid_ > 0) {
    if (keeper >= 0) keeper_ = std::thread([keeper, err = err_] { keepAll(keeper, err); });
    return;
  }
  ::alarm(kMaxSeconds);
  ::dup2(out_, STDOUT_FILENO);
  ::dup2(terminal_ < 0 ? err_ : terminal_, STDERR_FILENO);
  for (const std::string& variable : setup.environment) {
    ::putenv(const_cast<char*>(variable.c_str()));
  }
  if (setup.closeStdout) ::close(STDOUT_FILENO);
  if (setup.brokenPipe) breakStdout();
  limit(RLIMIT_AS, setup.addressSpace);
  limit(RLIMIT_FSIZE, setup.largestFile);
  ::execv(argv[0], argv.data());
  ::_exit(127);
}

Subprocess::~Subprocess() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  hangUp();
  ::close(out_);
  ::close(err_);
}

// What is left in the terminal comes out before its end does.
void Subprocess::hangUp() {
  if (terminal_ >= 0) ::close(std::exchange(terminal_, -1));
  if (keeper_.joinable()) keeper_.join();
}

void Subprocess::awaitHandler(int signal) const {
  for (int i = 0; i < 3000; ++i) {
    std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
    std::string word;
    while (status >> word && word != "SigCgt:") continue;
    status >> word;
    if ((std::strtoull(word.c_str(), nullptr, 16) >> (signal - 1) & 1) != 0) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

void Subprocess::awaitStopped() const {
  int status = 0;
  ::waitpid(pid_, &status, WUNTRACED);
}

void Subprocess::signal(int number) const { ::kill(pid_, number); }

RunResult Subprocess::wait() {
  int status = 0;
  ::waitpid(std::exchange(pid_, -1), &status, 0);
  hangUp();
  RunResult result;
  if (WIFEXITED(status)) result.exitCode = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  result.out = contentOf(out_);
  result.err = contentOf(err_);
  return result;
}

RunResult run(const std::vector<std::string>& arguments, const RunSetup& setup) {
  return Subprocess(arguments, setup).wait();
}

}  // namespace tilebeam::test
