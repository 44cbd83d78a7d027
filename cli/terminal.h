// What stderr leads to.
#pragma once

#include <cstddef>

namespace tilebeam::cli {

// A terminal that can redraw a line; TERM=dumb says that it cannot.
bool stderrIsTerminal();

// The above, and the user has not set NO_COLOR (https://no-color.org).
bool stderrHasColour();

// Columns, asked anew each time, for windows change size. 80 where there is no telling.
std::size_t stderrWidth();

}  // namespace tilebeam::cli
