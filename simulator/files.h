// File names that need care when they are written to.
#pragma once

#include <string>

namespace tilebeam {

// Whether `path` names a regular file or nothing yet, so that it can be replaced whole. Otherwise
// (a pipe, a device, a descriptor such as /dev/stdout) what is written to it is written for good.
bool isReplaceable(const std::string& path);

// Throws OutputError if `path` cannot be written to, as far as this can be told without writing.
// Leaves nothing behind.
void checkWritable(const std::string& path);

}  // namespace tilebeam
