// How many threads the machine lets us have.
#pragma once

#include <cstddef>

namespace tilebeam {

// At most `wanted`, and at least one, the caller's own: the others are started and ended again,
// with stacks of `stackBytes`. oneTBB ends the whole process where one of its workers fails to
// start another, be it for want of memory or by a limit on processes.
int startableThreads(int wanted, std::size_t stackBytes);

}  // namespace tilebeam
