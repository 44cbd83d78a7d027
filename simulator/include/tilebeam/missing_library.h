// A library that is loaded only when it is needed, and is not there.
#pragma once

#include <stdexcept>

namespace tilebeam {

// solve() with SolverOptions::prove throws it before it does anything else. what() names the
// library and Debian's package.
class MissingLibraryError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace tilebeam
