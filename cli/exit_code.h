// What the programs' exit codes mean (docs/file-formats.md).
#pragma once

#include <stdexcept>
#include <string>

namespace tilebeam::cli {

enum class ExitCode : int {
  kDone = 0,
  kInvalidSchedule = 1,
  kWrongUsage = 2,
  kMalformedInput = 3,
  kInfeasible = 4,
  kCannotWrite = 5,
  kProgramFault = 70  // a bug of ours, or a machine without memory
};

// Ends a command: the message goes to stderr as one line, the code to the shell.
class Failure : public std::runtime_error {
 public:
  Failure(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

}  // namespace tilebeam::cli
