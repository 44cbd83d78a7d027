#include "simulator/shared_library.h"

#include <dlfcn.h>
#include <sys/mman.h>

#include <new>
#include <string_view>

#include "tilebeam/missing_library.h"

namespace tilebeam {
namespace {

void requireRoom(std::size_t bytes) {
  void* const room = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) throw std::bad_alloc();
  ::munmap(room, bytes);
}

// The loader has words for it, but no code.
bool meansTooLittleMemory(std::string_view reason) {
  return reason.find("failed to map segment") != std::string_view::npos ||
         reason.find("annot allocate memory") != std::string_view::npos;
}

[[noreturn]] void fail(const std::string& need) {
  const char* const said = ::dlerror();
  const std::string reason = said != nullptr ? said : "not found";
  if (meansTooLittleMemory(reason)) throw std::bad_alloc();
  throw MissingLibraryError(need + ": " + reason);
}

}  // namespace

void* openLibrary(const std::string& path, std::size_t room, const std::string& need) {
  requireRoom(room);
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) fail(need);
  return library;
}

void* findSymbol(void* library, const char* name, const std::string& need) {
  void* const symbol = ::dlsym(library, name);
  if (symbol == nullptr) fail(need);
  return symbol;
}

}  // namespace tilebeam
