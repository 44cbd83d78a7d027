// Runs the programs as users do, and keeps all they say.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <thread>
#include <vector>

namespace tilebeam::test {

struct RunResult {
  int exitCode = -1;  // -1 if a signal ended it
  int signal = 0;
  std::string out;
  std::string err;
};

struct RunSetup {
  std::string stdoutPath;  // instead of keeping stdout
  bool closeStdout = false;
  bool terminal = false;                      // stderr is a terminal of 80 columns
  std::vector<std::string> environment = {};  // NAME=VALUE, beside what there is
  bool brokenPipe = false;                    // stdout is a pipe whose reader is gone
  std::size_t addressSpace = 0;               // limit in bytes; 0: none
  std::size_t largestFile = 0;                // limit in bytes; 0: none
};

// Arguments start with the program. A run of more than a minute is killed.
class Subprocess {
 public:
  explicit Subprocess(const std::vector<std::string>& arguments, const RunSetup& setup = {});
  Subprocess(const Subprocess&) = delete;
  Subprocess& operator=(const Subprocess&) = delete;
  ~Subprocess();

  // Returns once the program has a handler for this signal, or after half a minute.
  void awaitHandler(int signal) const;
  // Returns once a SIGSTOP that was sent has stopped every thread of the program.
  void awaitStopped() const;
  void signal(int number) const;
  RunResult wait();

 private:
  void hangUp();

  pid_t pid_ = -1;
  int out_ = -1;
  int err_ = -1;
  int terminal_ = -1;   // the end of it that the program writes to
  std::thread keeper_;  // keeps what is written to the terminal
};

RunResult run(const std::vector<std::string>& arguments, const RunSetup& setup = {});

}  // namespace tilebeam::test
