// The only file that speaks ONNX and protobuf; the whole of the module tilebeam_onnx.so.
#include <google/protobuf/stubs/logging.h>
#include <onnx/checker.h>
#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "importer/layout.h"
#include "importer/model.h"
#include "importer/onnx_module.h"
#include "tilebeam/errors.h"

namespace tilebeam::importer {
namespace {

constexpr std::size_t kMaxKeptIntegers = 64;  // axes, shapes, sizes of splits; never weights

std::string oneLine(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  constexpr std::size_t kLongest = 300;
  text.resize(std::min(text.size(), kLongest));
  return text;
}

onnx::ModelProto parse(std::string_view content) {
  google::protobuf::SetLogHandler(nullptr);  // it would write to stderr
  onnx::ModelProto proto;
  const bool fits = content.size() <= std::size_t{std::numeric_limits<int>::max()};
  if (!fits || !proto.ParseFromArray(content.data(), static_cast<int>(content.size()))) {
    throw InputError(fits ? "not an ONNX model" : "larger than 2 GiB; keep the weights outside");
  }
  if (!proto.has_graph() || proto.graph().node().empty()) throw InputError("a model without nodes");
  return proto;
}

// Messages quote names, and are one line.
void verifyNames(const onnx::GraphProto& graph) {
  const auto verify = [](const std::string& name) {
    const auto isControl = [](unsigned char c) { return c < 0x20 || c == 0x7F; };
    if (std::any_of(name.begin(), name.end(), isControl)) {
      throw InputError("a name in it has control characters");
    }
  };
  for (const auto& input : graph.input()) {
    verify(input.name());
    for (const auto& dim : input.type().tensor_type().shape().dim()) verify(dim.dim_param());
  }
  for (const onnx::NodeProto& node : graph.node()) {
    for (const std::string* const name : {&node.name(), &node.op_type(), &node.domain()}) {
      verify(*name);
    }
    std::for_each(node.input().begin(), node.input().end(), verify);
    std::for_each(node.output().begin(), node.output().end(), verify);
  }
}

bool isOpen(const onnx::TensorShapeProto::Dimension& dim) {
  return !dim.has_dim_value() || dim.dim_value() <= 0;
}

std::set<std::string> namesOfOpenDimensions(const onnx::GraphProto& graph) {
  std::set<std::string> names;
  for (const onnx::ValueInfoProto& input : graph.input()) {
    for (const auto& dim : input.type().tensor_type().shape().dim()) {
      if (isOpen(dim) && !dim.dim_param().empty()) names.insert(dim.dim_param());
    }
  }
  return names;
}

void requireOpen(const onnx::GraphProto& graph, const NamedDimensions& dimensions) {
  const std::set<std::string> open = namesOfOpenDimensions(graph);
  for (const auto& [given, size] : dimensions) {
    if (open.contains(given)) continue;
    std::string all;
    for (const std::string& name : open) all += (all.empty() ? "" : ", ") + name;
    throw UnknownDimension("no dimension is named '" + given + "'; " +
                           (all.empty() ? "the model names none" : "the model names " + all));
  }
}

std::optional<Dims> dims(const onnx::TypeProto& type) {
  if (!type.has_tensor_type() || !type.tensor_type().has_shape()) return std::nullopt;
  Dims result;
  for (const auto& dim : type.tensor_type().shape().dim()) {
    if (!dim.has_dim_value()) return std::nullopt;
    result.push_back(dim.dim_value());
  }
  return result;
}

// Beyond, products of sizes would not be what the model says.
void requireModest(const std::string& what, const Dims& shape) {
  constexpr std::int64_t kMostElements = std::int64_t{1} << 59;  // of a problem
  if (elements(shape) <= kMostElements) return;
  throw InputError(what + ": " + text(shape) +
                   " is too large; the areas of all tensors may sum to 2^59 at most");
}

// Puts numbers in the place of names, in the inputs' shapes.
void settleDimensions(onnx::GraphProto& graph, const NamedDimensions& dimensions) {
  for (onnx::ValueInfoProto& input : *graph.mutable_input()) {
    if (!input.type().has_tensor_type()) {
      throw InputError("input '" + input.name() + "' is no tensor");
    }
    auto* const shape = input.mutable_type()->mutable_tensor_type()->mutable_shape();
    for (int i = 0; i < shape->dim_size(); ++i) {
      auto* const dim = shape->mutable_dim(i);
      if (!isOpen(*dim)) continue;
      const auto given = dimensions.find(dim->dim_param());
      if (given == dimensions.end()) {
        const std::string name = dim->dim_param().empty() ? "without a name" : dim->dim_param();
        throw InputError("input '" + input.name() + "': dimension " + std::to_string(i) + " (" +
                         name + ") has no size; give one with --dim NAME=N");
      }
      dim->set_dim_value(given->second);
    }
    requireModest("input '" + input.name() + "'", dims(input.type()).value_or(Dims{}));
  }
}

void inferShapes(onnx::ModelProto& proto) {
  try {
    onnx::ShapeInferenceOptions options;
    options.enable_data_propagation = true;
    onnx::shape_inference::InferShapes(proto, onnx::OpSchemaRegistry::Instance(), options);
  } catch (const std::exception& error) {
    throw InputError("shape inference: " + oneLine(error.what()));
  }
}

// Drops what no output needs.
void keepUseful(onnx::GraphProto& graph) {
  std::set<std::string> needed;
  for (const auto& output : graph.output()) needed.insert(output.name());
  auto& nodes = *graph.mutable_node();
  std::vector<onnx::NodeProto> useful;
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    const auto isNeeded = [&](const std::string& value) { return needed.contains(value); };
    if (std::none_of(node->output().begin(), node->output().end(), isNeeded)) continue;
    needed.insert(node->input().begin(), node->input().end());
    useful.push_back(std::move(*node));
  }
  nodes.Clear();
  for (auto node = useful.rbegin(); node != useful.rend(); ++node) {
    *nodes.Add() = std::move(*node);
  }
}

// Numbers of inputs and outputs, and attributes: shape inference takes them for granted.
void verifyNodes(const onnx::GraphProto& graph, const Model& model) {
  for (const onnx::NodeProto& node : graph.node()) {
    const auto* const schema = onnx::OpSchemaRegistry::Schema(
        node.op_type(), static_cast<int>(model.opset), node.domain());
    if (schema == nullptr) continue;
    try {
      schema->Verify(node);
    } catch (const std::exception& error) {
      throw InputError(oneLine(error.what()));
    }
  }
}

void keepIntegers(const std::string& name, const onnx::TensorProto& tensor, Model& model) {
  if (tensor.data_type() != onnx::TensorProto::INT64) return;
  std::vector<std::int64_t> values(tensor.int64_data().begin(), tensor.int64_data().end());
  if (values.empty() && tensor.raw_data().size() % sizeof(std::int64_t) == 0) {
    values.resize(tensor.raw_data().size() / sizeof(std::int64_t));
    if (values.size() > kMaxKeptIntegers) return;
    std::memcpy(values.data(), tensor.raw_data().data(), tensor.raw_data().size());
  }
  if (values.size() <= kMaxKeptIntegers) model.integers[name] = std::move(values);
}

void readConstants(const onnx::GraphProto& graph, Model& model) {
  for (const onnx::TensorProto& tensor : graph.initializer()) {
    model.constants.insert(tensor.name());
    model.shapes[tensor.name()] = Dims(tensor.dims().begin(), tensor.dims().end());
    keepIntegers(tensor.name(), tensor, model);
  }
  if (!graph.sparse_initializer().empty()) throw InputError("sparse weights are not supported");
}

void readShapes(const onnx::GraphProto& graph, Model& model) {
  for (const auto* const list : {&graph.input(), &graph.value_info(), &graph.output()}) {
    for (const onnx::ValueInfoProto& info : *list) {
      if (const auto shape = dims(info.type())) model.shapes.emplace(info.name(), *shape);
    }
  }
  for (const auto& output : graph.output()) model.outputs.insert(output.name());
}

Node readNode(const onnx::NodeProto& proto, Model& model) {
  Node node;
  node.name = proto.name();
  node.type = proto.op_type();
  if (!proto.domain().empty() && proto.domain() != "ai.onnx") {
    node.type = proto.domain() + "." + proto.op_type();
  }
  node.inputs.assign(proto.input().begin(), proto.input().end());
  node.outputs.assign(proto.output().begin(), proto.output().end());
  if (node.outputs.empty() || node.outputs.front().empty()) {
    throw InputError(node.title() + ": it has no output");
  }
  for (const onnx::AttributeProto& attribute : proto.attribute()) {
    if (attribute.has_t() && node.type == "Constant" && !node.outputs.empty()) {
      keepIntegers(node.outputs[0], attribute.t(), model);
    }
    if (attribute.type() == onnx::AttributeProto::INT) {
      node.integers[attribute.name()] = {attribute.i()};
    } else if (attribute.type() == onnx::AttributeProto::INTS) {
      node.integers[attribute.name()].assign(attribute.ints().begin(), attribute.ints().end());
    } else if (attribute.type() == onnx::AttributeProto::STRING) {
      node.texts[attribute.name()] = attribute.s();
    }
  }
  return node;
}

// What follows from constants and shapes alone is constant: it is known before the model runs.
void spreadConstants(Model& model) {
  for (const Node& node : model.nodes) {
    const bool constant = node.type == "Shape" || node.type == "Size" ||
                          std::all_of(node.inputs.begin(), node.inputs.end(), [&](auto& input) {
                            return input.empty() || model.constant(input);
                          });
    if (constant) model.constants.insert(node.outputs.begin(), node.outputs.end());
  }
}

// What nodes compute from, weights above all.
void requireModestInputs(const Node& node, const Model& model) {
  for (const std::string& input : node.inputs) {
    const auto shape = model.shapes.find(input);
    if (shape != model.shapes.end()) {
      requireModest(node.title() + ": its input '" + input + "'", shape->second);
    }
  }
}

// Every value that is computed must be a tensor of known, positive size.
void requireShapes(const Model& model) {
  for (const Node& node : model.nodes) {
    if (!model.constant(node.outputs[0])) requireModestInputs(node, model);
    for (const std::string& output : node.outputs) {
      if (output.empty() || model.constant(output)) continue;
      const auto shape = model.shapes.find(output);
      if (shape == model.shapes.end()) {
        throw InputError(node.title() +
                         ": the shape of its output is not known; is the op unknown, "
                         "or does the shape depend on values?");
      }
      for (const std::int64_t size : shape->second) {
        if (size < 1) throw InputError(node.title() + ": its output is empty");
      }
      requireModest(node.title() + ": its output", shape->second);
    }
  }
}

void read(std::string_view content, const NamedDimensions& dimensions, Model& model) {
  onnx::ModelProto proto = parse(content);
  verifyNames(proto.graph());
  for (const auto& opset : proto.opset_import()) {
    if (opset.domain().empty() || opset.domain() == "ai.onnx") model.opset = opset.version();
  }
  readConstants(proto.graph(), model);
  // Old models list the weights among the inputs.
  auto& inputs = *proto.mutable_graph()->mutable_input();
  inputs.erase(std::remove_if(inputs.begin(), inputs.end(),
                              [&](const auto& input) { return model.constant(input.name()); }),
               inputs.end());
  keepUseful(*proto.mutable_graph());
  verifyNodes(proto.graph(), model);
  requireOpen(proto.graph(), dimensions);
  settleDimensions(*proto.mutable_graph(), dimensions);
  inferShapes(proto);
  readShapes(proto.graph(), model);
  for (const auto& node : proto.graph().node()) model.nodes.push_back(readNode(node, model));
  spreadConstants(model);
  requireShapes(model);
}

}  // namespace

}  // namespace tilebeam::importer

void tilebeamReadOnnx(std::string_view content,
                      const tilebeam::importer::NamedDimensions& dimensions,
                      tilebeam::importer::Model& model) {
  tilebeam::importer::read(content, dimensions, model);
}
