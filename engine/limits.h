// Sizes that the engine's fixed-size structures are built for.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tilebeam {

inline constexpr std::size_t kMaxCandidateOps = 64;        // ops of a generated subgraph
inline constexpr std::size_t kMaxCandidateExternals = 32;  // of them, bits of StepVariant
inline constexpr int kMostRemadeOps = 3;                   // of a step; more have never paid
inline constexpr int kMaxWindow = 256;                     // bits of a state's window

// A set of a generated subgraph's ops, by their order in it.
using OpBits = std::uint64_t;
inline constexpr OpBits opBit(std::size_t i) { return OpBits{1} << i; }

}  // namespace tilebeam
