// What a step's cost depends on, without the names: steps of equal shape cost the same wherever in
// the graph they stand. Layers repeat, so most subgraphs of a large model have been scored before.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "engine/limits.h"
#include "tilebeam/problem.h"

namespace tilebeam {

// A 128-bit digest of a subgraph's structure: op types and costs, tensor shapes, who feeds whom,
// and which produced tensors are needed outside. 128 bits make a collision among even 2^40
// subgraphs unlikelier than a memory fault; and every schedule is evaluated by name before it is
// returned.
struct ShapeDigest {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  friend bool operator==(const ShapeDigest&, const ShapeDigest&) = default;
};

// The sets of a step's context as bits: externals by order of first use over the listed ops,
// produced tensors by the order of ops.
struct StepVariant {
  std::uint32_t residentExternals = 0;  // external tensors carried in
  OpBits retained = 0;                  // produced tensors kept for the next step
  OpBits unstored = 0;                  // produced, internal, needed later but made again there
  std::int64_t residentArea = 0;        // of all that is carried in, used or not

  friend bool operator==(const StepVariant&, const StepVariant&) = default;
};

struct StepKey {
  ShapeDigest shape;
  StepVariant variant;

  friend bool operator==(const StepKey&, const StepKey&) = default;
};

struct StepKeyHash {
  std::size_t operator()(const StepKey& key) const noexcept;
};

// A bijective mix of 64 bits (splitmix64's finaliser).
constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// Mixed bits as a number in [0, 1).
constexpr double fraction(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

// Of a set of ops, whatever their order: the sum of this over them.
constexpr std::uint64_t opSetHash(OpId o) { return mix(static_cast<std::uint64_t>(o.value()) + 1); }

// Ops in topological order. `neededOutside` has a bit for each op whose output some op beyond these
// takes, or no op at all.
ShapeDigest digestShape(const Problem& problem, std::span<const OpId> ops, OpBits neededOutside);

}  // namespace tilebeam
