// Checks of option values that CLI11 lets pass: numbers that overflow, and nothing at all.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>

namespace tilebeam::cli {

// A whole number from `min` to `max` in plain decimal digits. CLI11 takes what does not fit 64 bits
// for the nearest number that does, "" for 0 and 010 for 8.
CLI::Validator wholeNumber(std::int64_t min, std::int64_t max);

// A decimal number above 0 and up to `max`: CLI11 takes 0x10 for 16.
CLI::Validator positiveNumber(std::int64_t max);

// Refuses "" as a value of any option or argument of these commands: it comes of a script's unset
// variable, and is no file and no number.
void refuseEmptyValues(CLI::App& parser);

}  // namespace tilebeam::cli
