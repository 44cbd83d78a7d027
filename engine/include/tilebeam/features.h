// What the search makes use of. Each can be switched off, to study what it is worth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tilebeam {

enum class Feature : std::uint8_t {
  kRetention,        // tensors stay in fast memory from one step to the next
  kRecomputation,    // ops are made again in later steps
  kEpilogues,        // a Pointwise takes a MatMul's output within a step
  kPointwiseFusion,  // a Pointwise takes another's output within a step
  kPrologues,        // a MatMul takes a Pointwise's output within a step
  kNestedMatMuls,    // a MatMul takes another's output within a step
  kSeveralSinks,     // a step has several sinks
  kStoredInteriors,  // a step stores tensors that it also takes itself
  kSnakes,           // tiles are visited in other orders than raster
  kFineTiles,        // tile sizes other than native divided by powers of two
  kMerging,          // steps of a plan are merged, and ops moved between them
  kWindows,          // windows of the incumbent are solved again
  kTuning            // steps of the incumbent get the best form that bounds leave room for
};
inline constexpr std::size_t kFeatureCount = 13;

// As in "nested-matmuls".
std::string_view name(Feature feature);
std::optional<Feature> featureOf(std::string_view name);

class FeatureSet {
 public:
  bool contains(Feature f) const { return (bits_ & bit(f)) != 0; }
  void insert(Feature f) { bits_ |= bit(f); }
  bool empty() const { return bits_ == 0; }
  friend bool operator==(const FeatureSet&, const FeatureSet&) = default;

 private:
  static std::uint32_t bit(Feature f) { return std::uint32_t{1} << static_cast<unsigned>(f); }
  std::uint32_t bits_ = 0;
};

}  // namespace tilebeam
