// What a program still computes when it should have stopped.
//
// Wall time would be the plain measure, but a busy machine lengthens it at will. Processor time
// counts only what this process does.
#pragma once

#include <chrono>
#include <condition_variable>
#include <ctime>
#include <mutex>
#include <optional>
#include <thread>

namespace tilebeam::test {

// Of this process, all its threads together.
inline double processorSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// The processor time from so many seconds of wall time on.
class Overtime {
 public:
  explicit Overtime(double seconds)
      : deadline_(std::chrono::steady_clock::now() +
                  std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                      std::chrono::duration<double>(seconds))),
        watcher_([this](const std::stop_token& stop) { watch(stop); }) {}

  // 0 if the time has not come. To be asked once.
  double seconds() {
    watcher_.request_stop();
    watcher_.join();
    return atDeadline_ ? processorSeconds() - *atDeadline_ : 0;
  }

 private:
  void watch(const std::stop_token& stop) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any().wait_until(lock, stop, deadline_, [] { return false; });
    if (!stop.stop_requested()) atDeadline_ = processorSeconds();
  }

  std::chrono::steady_clock::time_point deadline_;
  std::optional<double> atDeadline_;
  std::jthread watcher_;
};

}  // namespace tilebeam::test
