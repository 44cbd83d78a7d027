#include "cli/contest_clock.h"

#include <algorithm>

namespace tilebeam::cli {
namespace {

double contestLimit(std::size_t opCount) {
  struct Row {
    std::size_t maxOps;
    double seconds;
  };
  for (const auto& [maxOps, seconds] : {Row{5, 2}, {20, 5}, {32, 15}, {64, 30}, {103, 60}}) {
    if (opCount <= maxOps) return seconds;
  }
  return 120;
}

}  // namespace

double contestTimeLimit(std::size_t opCount, double elapsed) {
  constexpr double kShare = 0.9;    // of the limit, for machines slower than the contest's
  constexpr double kReserve = 0.2;  // seconds, to write the last schedule and to exit
  constexpr double kLeast = 0.1;    // the first schedule is worth having even when late
  return std::max(kLeast, kShare * contestLimit(opCount) - kReserve - elapsed);
}

}  // namespace tilebeam::cli
