// What the cells of a suite's row must be beside one another (docs/file-formats.md).
#pragma once

#include <optional>

#include "cli/suite_row.h"

namespace tilebeam::cli {

inline constexpr double kGapRounding = 1e-6;

// `gap` and `ratio` are what the row states of them; they follow from the rest. Throws InputError
// that names the column and the rule.
void verifyRow(const SuiteRow& row, const std::optional<double>& gap,
               const std::optional<double>& ratio);

}  // namespace tilebeam::cli
