#include "importer/demands.h"

#include "importer/layout.h"
#include "importer/op_classes.h"

namespace tilebeam::importer {
namespace {

constexpr std::int64_t kAnything = 0;

class DemandFinder {
 public:
  explicit DemandFinder(const Model& model) : model_(model) {}

  std::map<std::string, std::int64_t> find() {
    for (const std::string& output : model_.outputs) want(output, 1);
    for (auto node = model_.nodes.rbegin(); node != model_.nodes.rend(); ++node) visit(*node);
    std::erase_if(wanted_, [](const auto& entry) { return entry.second <= 1; });
    return wanted_;
  }

 private:
  std::int64_t wantedOf(const std::string& value) const {
    const auto found = wanted_.find(value);
    return found == wanted_.end() ? 1 : found->second;
  }

  // Users that disagree, or want more parts than there can be, get the value whole.
  void want(const std::string& value, std::int64_t blocks) {
    if (value.empty() || model_.constant(value) || blocks == kAnything) return;
    const std::int64_t possible = blocks <= kMostParts ? blocks : 1;
    const auto [place, isNew] = wanted_.emplace(value, possible);
    if (!isNew && place->second != possible) place->second = 1;
  }

  void visit(const Node& node) {
    for (const std::string& input : node.inputs) {
      if (!input.empty() && !model_.constant(input)) want(input, demand(node, input));
    }
  }

  std::int64_t demand(const Node& node, const std::string& input) const {
    switch (classify(node.type)) {
      case OpClass::kElementwise:
      case OpClass::kRename: {
        const Dims& in = model_.shape(input);
        const Dims& out = model_.shape(node.outputs[0]);
        return elements(in) == elements(out) ? wantedOf(node.outputs[0]) : 1;
      }
      case OpClass::kReshape:
        return throughReshape(node, input);
      case OpClass::kSplit:
        return throughSplit(node);
      case OpClass::kTranspose:
        return kAnything;
      case OpClass::kMatMul:
        return &input == &node.inputs[0] ? kAnything : 1;
      default:
        return 1;
    }
  }

  std::int64_t throughReshape(const Node& node, const std::string& input) const {
    const Dims& in = model_.shape(input);
    const Dims& out = model_.shape(node.outputs[0]);
    if (sizeAt(in, 1) == sizeAt(out, 1)) return wantedOf(node.outputs[0]);
    const bool blocksBecomeAxis = sizeAt(out, 1) > 1 && sizeAt(out, 2) > 1 &&
                                  sizeAt(out, 1) * sizeAt(out, 2) == sizeAt(in, 1);
    if (blocksBecomeAxis) return sizeAt(out, 2);
    return sizeAt(in, 1) * sizeAt(in, 2) == sizeAt(out, 1) ? kAnything : 1;
  }

  // Equal shares of the columns are blocks already; each may be wanted in smaller ones.
  std::int64_t throughSplit(const Node& node) const {
    const std::int64_t wanted = wantedOf(node.outputs[0]);
    for (const std::string& output : node.outputs) {
      if (model_.shape(output) != model_.shape(node.outputs[0]) || wantedOf(output) != wanted) {
        return 1;
      }
    }
    const Dims& in = model_.shape(node.inputs[0]);
    const auto shares = static_cast<std::int64_t>(node.outputs.size());
    const bool columns = sizeAt(model_.shape(node.outputs[0]), 1) * shares == sizeAt(in, 1);
    return columns ? shares * wanted : 1;
  }

  const Model& model_;
  std::map<std::string, std::int64_t> wanted_;
};

}  // namespace

std::map<std::string, std::int64_t> findWantedBlocks(const Model& model) {
  return DemandFinder(model).find();
}

}  // namespace tilebeam::importer
