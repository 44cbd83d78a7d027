#include "tilebeam/features.h"

#include <array>

namespace tilebeam {
namespace {

constexpr std::array<std::string_view, kFeatureCount> kNames{
    "retention", "recomputation",  "epilogues",     "pointwise-fusion",
    "prologues", "nested-matmuls", "several-sinks", "stored-interiors",
    "snakes",    "fine-tiles",     "merging",       "windows",
    "tuning"};

}  // namespace

std::string_view name(Feature feature) { return kNames[static_cast<std::size_t>(feature)]; }

std::optional<Feature> featureOf(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<Feature>(i);
  }
  return std::nullopt;
}

}  // namespace tilebeam
