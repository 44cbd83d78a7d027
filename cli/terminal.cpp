#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace tilebeam::cli {
namespace {

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

bool stderrIsTerminal() { return ::isatty(STDERR_FILENO) == 1 && variable("TERM") != "dumb"; }

bool stderrHasColour() { return stderrIsTerminal() && variable("NO_COLOR").empty(); }

std::size_t stderrWidth() {
  constexpr std::size_t kUsual = 80;
  struct winsize size {};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsual;
  return size.ws_col;
}

}  // namespace tilebeam::cli
