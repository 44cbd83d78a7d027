#pragma once

#include <string_view>

namespace tilebeam::cli {

// Orders names as people do: "p2" before "p10", since runs of digits compare by value. Equal names
// alone are equivalent.
bool naturallyLess(std::string_view a, std::string_view b);

}  // namespace tilebeam::cli
