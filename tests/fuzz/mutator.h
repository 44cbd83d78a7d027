// Bends JSON files out of shape: their bytes, their structure, their numbers.
#pragma once

#include <string>

#include "support/random_steps.h"

namespace tilebeam::fuzz {

// A mutant of `text`, one to three changes away. `text` is JSON, an object. The same dice give the
// same mutant on every platform.
std::string mutant(const std::string& text, test::Random& random);

}  // namespace tilebeam::fuzz
