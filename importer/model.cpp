#include "importer/model.h"

#include "tilebeam/errors.h"

namespace tilebeam::importer {

std::string Node::title() const {
  const std::string& called = !name.empty() || outputs.empty() ? name : outputs.front();
  return "node '" + called + "' (" + type + ")";
}

std::int64_t Node::integer(const std::string& attribute, std::int64_t fallback) const {
  const auto found = integers.find(attribute);
  return found == integers.end() || found->second.empty() ? fallback : found->second.front();
}

const Dims& Model::shape(const std::string& value) const {
  const auto found = shapes.find(value);
  if (found == shapes.end()) throw InputError("the shape of '" + value + "' is not known");
  return found->second;
}

}  // namespace tilebeam::importer
