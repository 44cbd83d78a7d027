// A set of ops with all that follows from it alone and not from the granularity
// (docs/cost-model.md, sections 2 to 4): which tensors are external, internal, at tile position,
// which MatMuls are roots, what the grid is, and whether the static rules 3.1 to 3.3 hold.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tilebeam/id.h"
#include "tilebeam/problem.h"

namespace tilebeam {

// A broken rule of docs/cost-model.md, section 3.
struct Violation {
  int rule = 0;         // 1 to 9 for rules 3.1 to 3.9; 0 for rules of whole schedules
  std::string message;  // one line: what, where, numbers
};

class Subgraph {
 public:
  // `ops` in any order; a list that breaks rules 3.1 to 3.3 yields a Subgraph whose violation() is
  // set and whose other members are only meaningful as far as the rule allows.
  Subgraph(const Problem& problem, std::vector<OpId> ops);

  const std::optional<Violation>& violation() const { return violation_; }
  const Problem& problem() const { return *problem_; }

  std::span<const OpId> ops() const { return ops_; }                // as given
  std::span<const TensorId> external() const { return external_; }  // sorted
  std::span<const TensorId> produced() const { return produced_; }  // in the order of ops()
  std::span<const OpId> sinks() const { return sinks_; }
  std::span<const OpId> roots() const { return roots_; }      // MatMuls at tile position
  std::span<const OpId> tileOps() const { return tileOps_; }  // Pointwise ops at tile position

  bool contains(OpId o) const;
  bool produces(TensorId t) const;
  bool isExternal(TensorId t) const;
  bool isSinkOutput(TensorId t) const;
  bool atTilePosition(TensorId t) const;

  std::int64_t gridWidth() const { return grid_.width; }    // W, elements
  std::int64_t gridHeight() const { return grid_.height; }  // H, elements
  bool hasMatMul() const { return minReduction_ > 0; }
  std::int64_t minReduction() const { return minReduction_; }  // least K of any MatMul, 0 if none
  std::int64_t maxRootReduction() const { return maxRootReduction_; }  // 0 if no root

  // Rule 3.5: the least w (h) that the prologues demand at reduction step k.
  std::int64_t prologueWidth(std::int64_t k) const;
  std::int64_t prologueHeight(std::int64_t k) const;

 private:
  struct ProducedTensor {
    TensorId tensor;
    bool sink;
    bool tile;
  };
  const ProducedTensor* find(TensorId t) const;
  ProducedTensor* find(TensorId t);
  void checkOrder();
  void classifyTensors();
  void checkConnected();
  void findTilePositions();
  void findPrologues();

  const Problem* problem_;
  std::vector<OpId> ops_;
  std::vector<OpId> sortedOps_;
  std::vector<TensorId> external_;
  std::vector<TensorId> produced_;
  std::vector<ProducedTensor> sortedProduced_;
  std::vector<OpId> sinks_;
  std::vector<OpId> roots_;
  std::vector<OpId> tileOps_;
  std::vector<std::int64_t> lhsPrologueReductions_;
  std::vector<std::int64_t> rhsPrologueReductions_;
  Tensor grid_;
  std::int64_t minReduction_ = 0;
  std::int64_t maxRootReduction_ = 0;
  std::optional<Violation> violation_;
};

}  // namespace tilebeam
