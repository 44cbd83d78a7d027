#include "cli/json_values.h"

namespace tilebeam::cli {
namespace {

bool isListOfObjects(const Json& value) {
  return value.is_array() && !value.empty() && value.front().is_object();
}

std::string dumpRows(const Json& list) {
  std::string text = "[";
  const char* separator = "\n    ";
  for (const Json& entry : list) {
    text.append(separator).append(dumpLine(entry));
    separator = ",\n    ";
  }
  return text + "\n  ]";
}

}  // namespace

std::string dumpObject(const Json& object) {
  std::string text = "{";
  const char* separator = "\n  ";
  for (const auto& [key, value] : object.items()) {
    text.append(separator).append(dumpLine(key)).append(": ");
    text.append(isListOfObjects(value) ? dumpRows(value) : dumpLine(value));
    separator = ",\n  ";
  }
  return text + "\n}\n";
}

}  // namespace tilebeam::cli
