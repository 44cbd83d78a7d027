#include "importer/model_builder.h"

#include <onnx/onnx_pb.h>

namespace tilebeam::test {

struct ModelBuilder::Proto {
  onnx::ModelProto model;
};

ModelBuilder::ModelBuilder(std::int64_t opset) : proto_(std::make_unique<Proto>()) {
  proto_->model.set_ir_version(8);
  proto_->model.mutable_graph()->set_name("test");
  proto_->model.add_opset_import()->set_version(opset);
}

ModelBuilder::~ModelBuilder() = default;

std::string ModelBuilder::fresh(const std::string& stem) {
  return stem + "_" + std::to_string(count_++);
}

std::string ModelBuilder::input(const std::string& name, const std::vector<std::string>& dims) {
  auto* const input = proto_->model.mutable_graph()->add_input();
  input->set_name(name);
  auto* const type = input->mutable_type()->mutable_tensor_type();
  type->set_elem_type(onnx::TensorProto::FLOAT);
  for (const std::string& dim : dims) {
    auto* const size = type->mutable_shape()->add_dim();
    if (dim.find_first_not_of("0123456789") == std::string::npos) {
      size->set_dim_value(std::stoll(dim));
    } else {
      size->set_dim_param(dim);
    }
  }
  return name;
}

std::string ModelBuilder::input(const std::string& name, const Dims& dims) {
  std::vector<std::string> texts;
  for (const std::int64_t size : dims) texts.push_back(std::to_string(size));
  return input(name, texts);
}

std::string ModelBuilder::weight(const Dims& dims) {
  auto* const tensor = proto_->model.mutable_graph()->add_initializer();
  tensor->set_name(fresh("weight"));
  tensor->set_data_type(onnx::TensorProto::FLOAT);
  for (const std::int64_t size : dims) tensor->add_dims(size);
  tensor->set_data_location(onnx::TensorProto::EXTERNAL);
  auto* const location = tensor->add_external_data();
  location->set_key("location");
  location->set_value("weights");
  return tensor->name();
}

std::string ModelBuilder::integers(const Dims& values) {
  auto* const tensor = proto_->model.mutable_graph()->add_initializer();
  tensor->set_name(fresh("integers"));
  tensor->set_data_type(onnx::TensorProto::INT64);
  tensor->add_dims(static_cast<std::int64_t>(values.size()));
  for (const std::int64_t value : values) tensor->add_int64_data(value);
  return tensor->name();
}

std::string ModelBuilder::node(const std::string& type, const std::vector<std::string>& inputs,
                               const Attributes& attributes) {
  return node(type, inputs, 1, attributes).front();
}

std::vector<std::string> ModelBuilder::node(const std::string& type,
                                            const std::vector<std::string>& inputs,
                                            std::size_t outputs, const Attributes& attributes) {
  auto* const node = proto_->model.mutable_graph()->add_node();
  node->set_op_type(type);
  for (const std::string& input : inputs) node->add_input(input);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < outputs; ++i) {
    names.push_back(fresh(type));
    node->add_output(names.back());
  }
  node->set_name(names.front());
  for (const auto& [name, value] : attributes) {
    auto* const attribute = node->add_attribute();
    attribute->set_name(name);
    if (const auto* const number = std::get_if<std::int64_t>(&value)) {
      attribute->set_type(onnx::AttributeProto::INT);
      attribute->set_i(*number);
    } else if (const auto* const list = std::get_if<Dims>(&value)) {
      attribute->set_type(onnx::AttributeProto::INTS);
      for (const std::int64_t n : *list) attribute->add_ints(n);
    } else {
      attribute->set_type(onnx::AttributeProto::STRING);
      attribute->set_s(std::get<std::string>(value));
    }
  }
  return names;
}

void ModelBuilder::output(const std::string& name) {
  auto* const output = proto_->model.mutable_graph()->add_output();
  output->set_name(name);
  output->mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
}

std::string ModelBuilder::write() const { return proto_->model.SerializeAsString(); }

}  // namespace tilebeam::test
