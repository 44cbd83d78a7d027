// What the graph alone says about which ops can share a step: the structure that the lower bounds
// rest on. The lemmas named here are proven in docs/bounds.md. Private to the simulator.
#pragma once

#include <cstdint>
#include <vector>

#include "tilebeam/problem.h"

namespace tilebeam {

// Whether `consumer`, which takes `t`, can share a step with the op that produces `t`. A Pointwise
// cannot make an operand whose reduction exceeds native (rules 3.4 and 3.5): the two are *cut*.
bool isCut(const Problem& problem, TensorId t, OpId consumer);

class BoundStructure {
 public:
  explicit BoundStructure(const Problem& problem);

  // Whether some step makes this produced tensor strip by strip, away from tile position.
  bool canBeStrip(TensorId t) const { return canBeLeft_[t.index()] || canBeRight_[t.index()]; }
  bool canBeLeftStrip(TensorId t) const { return canBeLeft_[t.index()]; }
  bool canBeRightStrip(TensorId t) const { return canBeRight_[t.index()]; }

  // Blocks are consecutive stretches of the graph between ops that everything passes through and
  // that are cut from all that follows. No step covers new ops of two blocks (lemma 3).
  std::size_t blockCount() const { return blockCount_; }
  std::uint32_t block(OpId o) const { return block_[o.index()]; }

 private:
  void findStrips(const Problem& problem);
  void findBlocks(const Problem& problem);

  std::vector<bool> canBeLeft_;  // by tensor
  std::vector<bool> canBeRight_;
  std::vector<std::uint32_t> block_;
  std::size_t blockCount_ = 1;
};

}  // namespace tilebeam
