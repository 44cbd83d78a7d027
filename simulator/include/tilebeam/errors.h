// What the library throws. It never prints and never exits; programs turn these into messages and
// exit codes.
#pragma once

#include <stdexcept>
#include <string>

namespace tilebeam {

// A problem or schedule that breaks the format or the rules of a well-formed problem. what() names
// the place and the rule on one line, without the file's name.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The problem is well formed, but no valid schedule exists: some op fits at no granularity.
class InfeasibleError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The search was cancelled before it had any schedule. Says nothing about whether one exists.
class InterruptedError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A file could not be written (or replaced) whole.
class OutputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace tilebeam
