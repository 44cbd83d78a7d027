#pragma once

#include <cstddef>

namespace tilebeam::cli {

// Seconds that a search may take so that the whole program stays safely within the contest's limit
// for a problem of this size, `elapsed` of which are gone.
double contestTimeLimit(std::size_t opCount, double elapsed);

}  // namespace tilebeam::cli
