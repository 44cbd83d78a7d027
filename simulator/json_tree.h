// A whole document as a tree, for the few files that are no columns.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace tilebeam::json {

// `text` must hold one object. Throws InputError for what readColumns refuses of any file: faults
// of syntax, keys that stand twice, numbers that are too large, deep nesting.
nlohmann::ordered_json readTree(std::string_view text);

}  // namespace tilebeam::json
