#include <cstddef>

#include "fuzz/checks.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tilebeam::fuzz::checkEvaluation({data, size});
  return 0;
}
