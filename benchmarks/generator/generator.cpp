#include "benchmarks/generator/generator.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "benchmarks/generator/draft.h"
#include "benchmarks/generator/hardware.h"
#include "benchmarks/generator/structures.h"

namespace tilebeam::generator {
namespace {

constexpr int kMaxOps = 1'000'000;
constexpr int kMaxTinyOps = 6;

using Build = void (*)(Draft&);

struct Recipe {
  Kind kind;
  Sizes sizes = Sizes::kEven;
  Build build = nullptr;
};

void buildRagged(Draft& draft) {
  static constexpr std::array<Build, 8> kStructures = {
      buildTransformer, buildGatedMlp,  buildMoe,   buildMultiHead,
      buildUnet,        buildRecurrent, buildChain, buildRandom};
  kStructures[draft.rng().below(kStructures.size())](draft);
}

const std::vector<Recipe>& recipes() {
  const auto even = [](const char* name, const char* description, Build build) {
    return Recipe{{name, description, 1, kMaxOps}, Sizes::kEven, build};
  };
  static const std::vector<Recipe> all = {
      even("transformer", "attention and MLP blocks with residuals", buildTransformer),
      even("gated-mlp", "MLP blocks whose inner activations are gated (SwiGLU)", buildGatedMlp),
      even("moe", "mixtures of experts: a router, several MLPs, a weighted sum", buildMoe),
      even("multi-head", "attention by many parallel heads, merged by adds", buildMultiHead),
      even("unet", "down and up again with skip connections, the shape changing", buildUnet),
      even("recurrent", "a recurrent cell unrolled over time, its weights shared", buildRecurrent),
      even("chain", "long chains of MatMul and Pointwise, up to three side by side", buildChain),
      even("random", "a random DAG, its ops numbered in no order", buildRandom),
      {{"ragged", "any of the above, sizes no multiples of an oblong native tile", 1, kMaxOps},
       Sizes::kRagged,
       buildRagged},
      {{"tiny", "a random DAG of up to six ops on very small tensors", 1, kMaxTinyOps},
       Sizes::kTiny,
       buildRandomTiny},
  };
  return all;
}

const Recipe& recipeFor(const Request& request) {
  const auto& all = recipes();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Recipe& recipe) {
    return recipe.kind.name == request.kind;
  });
  if (found == all.end()) throw std::invalid_argument("unknown kind '" + request.kind + "'");
  const Kind& kind = found->kind;
  if (request.ops < kind.minOps || request.ops > kind.maxOps) {
    throw std::invalid_argument(kind.name + " takes " + std::to_string(kind.minOps) + " to " +
                                std::to_string(kind.maxOps) + " ops, not " +
                                std::to_string(request.ops));
  }
  return *found;
}

// FNV-1a, so that kinds of one seed have nothing in common.
std::uint64_t hashOf(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

}  // namespace

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = [] {
    std::vector<Kind> list;
    for (const Recipe& recipe : recipes()) list.push_back(recipe.kind);
    return list;
  }();
  return all;
}

Problem generate(const Request& request) {
  const Recipe& recipe = recipeFor(request);
  Rng seeds(hashOf(request.kind) ^ Rng(request.seed).next());
  // A stream of its own, so that the hardware's draws do not hang on the graph's.
  Rng hardwareRng(seeds.next());
  Rng graphRng(seeds.next());

  const Setting setting = drawSetting(recipe.sizes, graphRng);
  Draft draft(request.ops, setting, graphRng);
  recipe.build(draft);
  std::vector<Tensor> tensors;
  std::vector<Op> ops;
  draft.take(tensors, ops);
  const Hardware hardware = drawHardware(setting, tensors, ops, request.memory, hardwareRng);
  return Problem(std::move(tensors), std::move(ops), hardware);
}

}  // namespace tilebeam::generator
