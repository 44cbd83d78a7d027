#include "importer/lowering.h"

#include <algorithm>
#include <map>

#include "importer/demands.h"
#include "importer/elementwise.h"
#include "importer/layout.h"
#include "importer/op_classes.h"
#include "importer/products.h"
#include "importer/rearrangements.h"
#include "importer/value_table.h"
#include "tilebeam/errors.h"

namespace tilebeam::importer {
namespace {

class Lowering {
 public:
  Lowering(const Model& model, const HardwareDescription& hardware)
      : model_(model), draft_(hardware), values_(model, draft_), wanted_(findWantedBlocks(model)) {}

  Imported run() {
    for (const Node& node : model_.nodes) {
      if (!model_.constant(node.outputs[0])) lowerNode(node);
    }
    return {draft_.build(), draft_.origins(), values_.copies()};
  }

 private:
  void lowerNode(const Node& node) {
    const OpClass opClass = classify(node.type);
    if (opClass == OpClass::kUnsupported) {
      throw InputError(node.title() + ": this op is not supported");
    }
    if (opClass != OpClass::kSplit) requireOneOutput(node);
    requireInputs(node, opClass);
    const auto found = wanted_.find(node.outputs[0]);
    const std::int64_t blocks = found == wanted_.end() ? 1 : found->second;
    switch (opClass) {
      case OpClass::kMatMul:
        return lowerMatMul(node, blocks, values_);
      case OpClass::kGemm:
        return lowerGemm(node, values_);
      case OpClass::kConv:
        return lowerConv(node, values_);
      case OpClass::kElementwise:
        return lowerElementwise(node, blocks, values_);
      case OpClass::kRowwise:
        return lowerRowwise(node, values_);
      case OpClass::kReduction:
        return lowerReduction(node, values_);
      case OpClass::kRename:
        return lowerRename(node, values_);
      case OpClass::kReshape:
        return lowerReshape(node, values_);
      case OpClass::kTranspose:
        return lowerTranspose(node, values_);
      case OpClass::kSplit:
        return lowerSplit(node, values_);
      case OpClass::kMovement:
        return values_.defineCopy(node, node.outputs[0]);
      case OpClass::kUnsupported:
        return;
    }
  }

  // ONNX's own ops have them; of others, only the name is known.
  void requireInputs(const Node& node, OpClass opClass) const {
    const bool product =
        opClass == OpClass::kMatMul || opClass == OpClass::kGemm || opClass == OpClass::kConv;
    const std::size_t least = product ? 2 : 1;
    const auto end =
        node.inputs.begin() + static_cast<std::ptrdiff_t>(std::min(least, node.inputs.size()));
    if (node.inputs.size() < least || std::find(node.inputs.begin(), end, "") != end) {
      throw InputError(node.title() + ": too few inputs");
    }
    // Of nothing, a product makes zeros.
    for (auto input = node.inputs.begin(); product && input != node.inputs.end(); ++input) {
      const auto shape = model_.shapes.find(*input);
      if (shape != model_.shapes.end() && elements(shape->second) < 1) {
        throw InputError(node.title() + ": its input '" + *input + "' is empty");
      }
    }
  }

  // Masks of dropout, statistics of normalisations: only training takes them.
  void requireOneOutput(const Node& node) const {
    for (const Node& user : model_.nodes) {
      for (std::size_t i = 1; i < node.outputs.size(); ++i) {
        const std::string& output = node.outputs[i];
        if (output.empty()) continue;
        const bool used =
            std::find(user.inputs.begin(), user.inputs.end(), output) != user.inputs.end();
        if (used || model_.outputs.contains(output)) {
          throw InputError(node.title() + ": its output '" + output + "' is not supported");
        }
      }
      if (node.outputs.size() == 1) return;
    }
  }

  const Model& model_;
  ProblemDraft draft_;
  ValueTable values_;
  std::map<std::string, std::int64_t> wanted_;
};

}  // namespace

Imported lower(const Model& model, const HardwareDescription& hardware) {
  return Lowering(model, hardware).run();
}

}  // namespace tilebeam::importer
