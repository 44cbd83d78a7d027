// How many random cases a test runs.
#pragma once

namespace tilebeam::test {

// `full` of them; a fifth in builds with sanitizers, which are slow and look for other faults.
constexpr int cases(int full) {
#ifdef TILEBEAM_SANITIZED
  return full / 5;
#else
  return full;
#endif
}

}  // namespace tilebeam::test
