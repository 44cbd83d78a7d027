#include "cli/process_pool.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/stop_signals.h"

namespace tilebeam::cli {
namespace {

// The parent's word to stop. What the terminal sends goes to all processes of a group, and would
// reach the children a second time through the parent.
constexpr int kStopSignal = SIGUSR1;

// Keeps signals waiting while a child is between its parent's handlers and its own.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t held;
    sigemptyset(&held);
    for (const int signal : kStopSignals) sigaddset(&held, signal);
    sigaddset(&held, kStopSignal);
    sigprocmask(SIG_BLOCK, &held, &before_);
  }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;
  ~SignalsHeld() { release(); }
  void release() { sigprocmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

bool writeAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// All of a child's life.
[[noreturn]] void runChild(pid_t parent, SignalsHeld& held, int output, std::size_t index,
                           const ProcessWork& work) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  for (const int signal : kStopSignals) std::signal(signal, SIG_IGN);
  CancellationToken& stop = stopOnSignals(std::array{kStopSignal});
  held.release();
  ::_exit(writeAll(output, work(index, stop)) ? 0 : 1);
}

std::string faultOf(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return "the process died of signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
  }
  if (WEXITSTATUS(status) == 0) return {};
  return "the process ended with code " + std::to_string(WEXITSTATUS(status));
}

class Child {
 public:
  // Throws std::system_error if there is no process or no pipe left.
  Child(std::size_t index, const ProcessWork& work) : index_(index) {
    int ends[2];
    if (::pipe(ends) != 0) throw std::system_error(errno, std::generic_category());
    SignalsHeld held;
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ == 0) runChild(parent, held, ends[1], index, work);
    const int error = errno;
    ::close(ends[1]);
    fd_ = ends[0];
    if (pid_ > 0) return;
    ::close(fd_);
    throw std::system_error(error, std::generic_category());
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      wait();
    }
    ::close(fd_);
  }

  std::size_t index() const { return index_; }
  int descriptor() const { return fd_; }
  void stop() const { ::kill(pid_, kStopSignal); }

  // Takes what has been written; false once that is all.
  bool read() {
    char buffer[4096];
    const ssize_t count = ::read(fd_, buffer, sizeof buffer);
    if (count > 0) outcome_.output.append(buffer, static_cast<std::size_t>(count));
    return count > 0 || (count < 0 && errno == EINTR);
  }

  ProcessOutcome finish() {
    outcome_.fault = faultOf(wait());
    return std::move(outcome_);
  }

 private:
  int wait() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
    pid_ = -1;
    return status;
  }

  std::size_t index_;
  pid_t pid_ = -1;
  int fd_ = -1;
  ProcessOutcome outcome_;
};

class ProcessPool {
 public:
  ProcessPool(const ProcessWork& work, const ProcessReport& report)
      : work_(work), report_(report) {}

  std::size_t running() const { return children_.size(); }

  void start(std::size_t index) {
    try {
      children_.push_back(std::make_unique<Child>(index, work_));
    } catch (const std::system_error& error) {
      report_(index, {{}, std::string("no process could be started: ") + error.what()});
    }
  }

  void stopAll() const {
    for (const auto& child : children_) child->stop();
  }

  // Waits a moment, and reports the children that have ended.
  void attend() {
    constexpr int kMilliseconds = 100;  // until a signal that slipped in before poll() is noticed
    std::vector<pollfd> ready;
    for (const auto& child : children_) ready.push_back({child->descriptor(), POLLIN, 0});
    if (::poll(ready.data(), ready.size(), kMilliseconds) <= 0) return;
    std::vector<std::unique_ptr<Child>> ended;
    for (std::size_t i = 0; i < ready.size(); ++i) {
      if (ready[i].revents != 0 && !children_[i]->read()) ended.push_back(std::move(children_[i]));
    }
    std::erase(children_, nullptr);
    for (const auto& child : ended) report_(child->index(), child->finish());
  }

 private:
  const ProcessWork& work_;
  const ProcessReport& report_;
  std::vector<std::unique_ptr<Child>> children_;
};

}  // namespace

void runInProcesses(std::size_t count, int jobs, const CancellationToken& stop,
                    const ProcessWork& work, const ProcessReport& report) {
  ProcessPool pool(work, report);
  std::size_t next = 0;
  bool stopped = false;
  while (pool.running() > 0 || (next < count && !stop.cancelled())) {
    while (next < count && !stop.cancelled() && pool.running() < static_cast<std::size_t>(jobs)) {
      pool.start(next++);
    }
    if (stop.cancelled() && !std::exchange(stopped, true)) pool.stopAll();
    if (pool.running() > 0) pool.attend();
  }
}

}  // namespace tilebeam::cli
