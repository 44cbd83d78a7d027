#include "importer/onnx_module.h"

#include <dlfcn.h>

#include <filesystem>

#include "tilebeam/errors.h"

namespace tilebeam::importer {
namespace {

// By the program's own place, so that an installed tree can be moved.
std::filesystem::path modulePath() {
  const auto program = std::filesystem::read_symlink("/proc/self/exe");
  return program.parent_path().parent_path() / "lib/tilebeam/tilebeam_onnx.so";
}

[[noreturn]] void failToLoad() {
  const char* const reason = ::dlerror();
  throw InputError("models cannot be read without libonnx and this program's part for it: " +
                   std::string(reason != nullptr ? reason : modulePath().c_str()));
}

}  // namespace

Model readOnnx(std::string_view content, const NamedDimensions& dimensions) {
  // Never closed: the library keeps tables that outlive it badly.
  void* const module = ::dlopen(modulePath().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) failToLoad();
  void* const symbol = ::dlsym(module, "tilebeamReadOnnx");
  if (symbol == nullptr) failToLoad();
  Model model;
  reinterpret_cast<decltype(&tilebeamReadOnnx)>(symbol)(content, dimensions, model);
  return model;
}

}  // namespace tilebeam::importer
