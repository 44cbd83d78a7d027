// A suite's row as JSON. Its keys, in their order, are the columns of the CSV too.
#pragma once

#include "cli/json_values.h"
#include "cli/suite_row.h"

namespace tilebeam::cli {

Json rowJson(const SuiteRow& row);

// Gap and ratio follow from the rest. Throws InputError.
SuiteRow rowOfJson(const Json& json);

}  // namespace tilebeam::cli
