// Libraries that are loaded only when they are needed.
#pragma once

#include <cstddef>
#include <string>

namespace tilebeam {

// Never unloaded. Throws MissingLibraryError, which begins with `need`, if it is not there, and
// std::bad_alloc unless `room` bytes of addresses are free: some libraries do not survive it when
// they run out of memory while they are loaded, or print.
void* openLibrary(const std::string& path, std::size_t room, const std::string& need);

// Throws MissingLibraryError.
void* findSymbol(void* library, const char* name, const std::string& need);

}  // namespace tilebeam
