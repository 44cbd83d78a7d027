#include "importer/onnx_module.h"

#include <cstddef>
#include <filesystem>

#include "simulator/shared_library.h"

namespace tilebeam::importer {
namespace {

// By the program's own place, so that an installed tree can be moved.
std::filesystem::path modulePath() {
  const auto program = std::filesystem::read_symlink("/proc/self/exe");
  return program.parent_path().parent_path() / "lib/tilebeam/tilebeam_onnx.so";
}

constexpr const char* kNeed =
    "models cannot be read without libonnx, Debian's libonnx1, and this program's part for it";

// ONNX's tables and protobuf take 10 MB. Without these, ONNX prints, and goes on without the
// tables.
constexpr std::size_t kRoom = std::size_t{24} << 20;

}  // namespace

Model readOnnx(std::string_view content, const NamedDimensions& dimensions) {
  void* const module = openLibrary(modulePath(), kRoom, kNeed);
  void* const symbol = findSymbol(module, "tilebeamReadOnnx", kNeed);
  Model model;
  reinterpret_cast<decltype(&tilebeamReadOnnx)>(symbol)(content, dimensions, model);
  return model;
}

}  // namespace tilebeam::importer
