// Makes scheduling problems of our own: the structures that neural networks bring along, random
// graphs, and tiny ones for exhaustive tests.
//
// A problem depends on its request alone, on every platform. The graph, its costs and the bandwidth
// do not depend on the memory class (but for the bandwidth of kContest), so that the classes of one
// (kind, ops, seed) can be compared with each other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tilebeam/problem.h"

namespace tilebeam::generator {

// How large the fast memory is, next to what a native tile with a native k-step takes.
enum class Memory : std::uint8_t {
  kTight,   // most MatMuls do not fit at it, all ops fit at half of it
  kRoomy,   // every op fits at it several times over
  kContest  // as the contest has it: tight up to some 20 ops, roomier the more ops there are
};

struct Kind {
  std::string name;
  std::string description;  // one line
  int minOps = 1;
  int maxOps = 0;
};

struct Request {
  std::string kind;  // a name from kinds()
  int ops = 0;
  std::uint64_t seed = 0;
  Memory memory = Memory::kContest;
};

const std::vector<Kind>& kinds();

// A problem of exactly `ops` ops in which every op alone fits the fast memory. Structures are built
// of whole blocks as far as they fit, and a tail of Pointwise ops makes up the number; where not
// even one block fits, its first ops are the problem. Linear in the number of ops.
//
// Throws std::invalid_argument for an unknown kind, or for ops outside of the kind's range.
Problem generate(const Request& request);

}  // namespace tilebeam::generator
