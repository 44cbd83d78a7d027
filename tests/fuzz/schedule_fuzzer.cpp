#include <cstddef>

#include "fuzz/checks.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tilebeam::fuzz::checkSchedule(tilebeam::fuzz::scheduleFuzzerProblem(),
                                {reinterpret_cast<const char*>(data), size});
  return 0;
}
