// Sizes that the engine's fixed-size structures are built for.
#pragma once

#include <cstddef>

namespace tilebeam {

inline constexpr std::size_t kMaxCandidateOps = 32;        // ops of a generated subgraph
inline constexpr std::size_t kMaxCandidateExternals = 32;  // of them, bits of StepVariant
inline constexpr int kMostRemadeOps = 3;                   // of a step; more have never paid
inline constexpr int kMaxWindow = 256;                     // bits of a state's window

}  // namespace tilebeam
