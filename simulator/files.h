// File names that need care when they are written to.
#pragma once

#include <cstddef>
#include <string>

namespace tilebeam {

// Whether `path` names a regular file or nothing yet, so that it can be replaced whole. Otherwise
// (a pipe, a device, a descriptor such as /dev/stdout) what is written to it is written for good.
bool isReplaceable(const std::string& path);

// Throws OutputError if `path` cannot be written to, as far as this can be told without writing.
// Leaves nothing behind.
void checkWritable(const std::string& path);

// Makes what was written with Durability::kProcess survive the end of the machine too. False if
// `path` is not a file of `size` bytes any more or cannot be secured: it has to be written again.
bool secureFile(const std::string& path, std::size_t size);

}  // namespace tilebeam
