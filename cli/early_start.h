// What a program does before the libraries that it is linked with set themselves up, which takes a
// third of a millisecond in which a signal would find no handler. Loading them takes longer, and
// cannot be preceded.
#pragma once

namespace tilebeam::cli {

using EarlyStart = void (*)(int argc, char** argv, char** environment);

}  // namespace tilebeam::cli

// Once for each program, in the file of its main(). The sanitizers cannot bear code of ours before
// their own, so main() must do the same once more.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TILEBEAM_START_EARLY(function) static_assert(true)
#else
#define TILEBEAM_START_EARLY(function)                                                        \
  [[gnu::section(".preinit_array"), gnu::used]] const tilebeam::cli::EarlyStart kEarlyStart = \
      function
#endif
