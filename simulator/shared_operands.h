// MatMuls that share one large operand, each with an operand of its own beside it: what they load
// and store at least, one by one (docs/bounds.md, "Shared operands"). Private to the simulator.
#pragma once

#include <cstdint>
#include <vector>

#include "bound_structure.h"
#include "tilebeam/problem.h"

namespace tilebeam {

// Which operand is shared. The ops' own one is tiled along rows if they share the RHS, along
// columns if they share the LHS.
enum class SharedSide : std::uint8_t { kRight, kLeft };

class SharedOperands {
 public:
  SharedOperands(const Problem& problem, const BoundStructure& structure, SharedSide side);

  bool none() const { return groups_.empty(); }
  bool contains(OpId o) const { return groupOf_[o.index()] != kNoGroup; }

  // By tensor: the operands whose loads `loads` counts.
  const std::vector<bool>& operands() const { return operands_; }

  // By op: what its first step moves at least on its account if tiles are longer than `shortest`
  // along the axis named above. Such shares of one step add up.
  std::vector<double> loads(std::int64_t shortest) const;

 private:
  static constexpr std::uint32_t kNoGroup = ~std::uint32_t{0};

  // Ops of one shape that share one operand.
  struct Group {
    TensorId shared;
    std::int64_t along = 0;   // length of the outputs along the tiled axis
    std::int64_t across = 0;  // and along the other
    std::int64_t reduction = 0;
    std::int64_t size = 0;
    bool retention = false;  // some op's own operand may be resident
    bool strips = false;     // some op may make strips
  };

  TensorId own(OpId o) const;
  TensorId shared(OpId o) const;
  bool sharable(TensorId t) const;
  bool belongs(OpId o) const;
  void enter(OpId o);
  bool retainable(TensorId t) const;
  double nestedShare(const Group& group, std::int64_t shortest) const;
  double area(TensorId t) const { return static_cast<double>(problem_.tensor(t).area()); }

  const Problem& problem_;
  const BoundStructure& structure_;
  SharedSide side_;
  std::int64_t nativeAlong_ = 0;
  std::int64_t nativeAcross_ = 0;
  std::vector<Group> groups_;
  std::vector<std::uint32_t> groupOf_;  // by op
  std::vector<bool> operands_;
};

}  // namespace tilebeam
