// What the solver's results and reports say in words.
#include "tilebeam/solver.h"

namespace tilebeam {

double SearchProgress::gap() const {
  if (!(latency < std::numeric_limits<double>::infinity())) return latency;
  return relativeGap(latency, bound);
}

const char* name(SearchPhase phase) {
  switch (phase) {
    case SearchPhase::kSingleOps:
      return "single ops";
    case SearchPhase::kCandidates:
      return "candidates";
    case SearchPhase::kBeam:
      return "beam";
    case SearchPhase::kSegments:
      return "segments";
    case SearchPhase::kWindows:
      return "windows";
    case SearchPhase::kRounds:
      return "rounds";
    case SearchPhase::kProof:
      break;
  }
  return "proof";
}

const char* name(SolveStatus status) {
  switch (status) {
    case SolveStatus::kOptimal:
      return "optimal";
    case SolveStatus::kRoundLimit:
      return "round-limit";
    case SolveStatus::kTimeLimit:
      return "time-limit";
    case SolveStatus::kInterrupted:
      break;
  }
  return "interrupted";
}

}  // namespace tilebeam
